package redact

import (
	"strings"
	"testing"

	"github.com/spark-status-enricher/enricher/pkg/enricher/job"
)

func TestSecretsOfARecognisableShape(t *testing.T) {
	for name, tc := range map[string]struct{ in, secret, keeps string }{
		"a URL's password":           {"postgresql://loader:hunter2@db:5432/sales", "hunter2", "@db:5432/sales"},
		"a password with an at sign": {"https://u:p@ss@host/x", "p@ss", "@host/x"},
		"a password with a slash":    {"s3a://AKIAIOSFODNN7EXAMPLE:wJalr/XUtnFEMI@bucket/x", "wJalr/XUtnFEMI", "bucket/x"},
		"Oracle's thin URL":          {"jdbc:oracle:thin:scott/tiger99@db:1521/x", "tiger99", "db:1521/x"},
		"a JDBC parameter":           {"jdbc:postgresql://h/db?user=u&password=hunter2&ssl=true", "hunter2", "ssl=true"},
		"a JDBC property":            {"jdbc:sqlserver://h;user=u;password=hunter2;encrypt=true", "hunter2", "encrypt=true"},
		"a quoted value":             {`password="two words"`, "two words", "password="},
		"JSON":                       {`{"user":"u","password":"hunter2","n":1}`, "hunter2", `"n":1`},
		"escaped JSON":               {`{\"password\":\"hunter2\"}`, "hunter2", "password"},
		"a Python dict":              {`{'api_key': 'hunter2', 'x': 1}`, "hunter2", "'x': 1"},
		"YAML":                       {"password: hunter2\nuser: u", "hunter2", "user: u"},
		"XML":                        {"<password>hunter2</password><a/>", "hunter2", "<a/>"},
		"Hadoop's XML":               {"<name>fs.s3a.secret.key</name><value>hunter2</value>", "hunter2", "fs.s3a.secret.key"},
		"Spark's pairs":              {"(spark.hadoop.fs.s3a.secret.key,hunter2)", "hunter2", "fs.s3a.secret.key"},
		"a command line":             {"--conf spark.db.password=hunter2 --class A", "hunter2", "--class A"},
		"an option and its value":    {"run --api-token hunter2 --dry", "hunter2", "--dry"},
		"an environment dump":        {"DB_PASSWORD=hunter2\nHOME=/root", "hunter2", "HOME=/root"},
		"SQL":                        {"CREATE USER a IDENTIFIED BY 'hunter2'", "hunter2", "CREATE USER a"},
		"a bearer token":             {"Authorization: Bearer abc.DEF-123_x", "abc.DEF-123_x", "Authorization"},
		"basic credentials":          {"Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz", "Authorization"},
		"an AWS key id":              {"key AKIAIOSFODNN7EXAMPLE is inactive", "AKIAIOSFODNN7EXAMPLE", "is inactive"},
		"a presigned URL":            {"https://b.s3/x?X-Amz-Credential=AKIA%2F1&X-Amz-Signature=0a1b2c3d4e", "0a1b2c3d4e", "b.s3/x"},
		"a shared access signature":  {"https://a.blob/x?sv=2022&sig=Ab%2Bc%3D12", "Ab%2Bc%3D12", "sv=2022"},
		"an account key":             {"AccountName=a;AccountKey=abc123==;EndpointSuffix=x", "abc123==", "AccountName=a"},
		"a JSON web token":           {"jwt eyJhbGciOi.eyJzdWIi.c2ln expired", "eyJzdWIi", "expired"},
		"a GitHub token":             {"https://x/ghp_abcdefghijklmnop1234", "ghp_abcdefghijklmnop1234", "https://x/"},
		"a private key":              {"k -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- e", "MIIE", "k "},
		"a private key that is cut":  {"-----BEGIN PRIVATE KEY----- MIIE", "MIIE", ""},
		"a Java property":            {"-Djavax.net.ssl.keyStorePassword=hunter2 -Xmx1g", "hunter2", "-Xmx1g"},
		"a number after password=":   {"password=123456", "123456", "password="},
		"a header of its own":        {"x-api-key: hunter2", "hunter2", "x-api-key"},
		"a header with a token":      {"X-Auth-Token: hunter2\nAccept: a", "hunter2", "Accept: a"},
		"a cookie":                   {"Set-Cookie: session=hunter2; HttpOnly", "hunter2", "Set-Cookie"},
		"YAML with a longer name":    {"db_password: hunter2\naws_secret_access_key: hunter3\nuser: u", "hunter2", "user: u"},
		"YAML in camel case":         {"accessToken: hunter2\nuser: u", "hunter2", "user: u"},
		"an object of credentials":   {`{"credentials": {"user": "u", "pass": "hunter2"}}`, "hunter2", `"user": "u"`},
		"a quote within JSON":        {`{"password": "a\"hunter2", "n": 1}`, "hunter2", `"n": 1`},
		"curl's user":                {"curl -u etl:hunter2 https://h/", "hunter2", "https://h/"},
		"mysql's password":           {"mysql -h h -uetl -phunter2 db", "hunter2", "-uetl"},
		"sshpass":                    {"sshpass -p hunter2 ssh h", "hunter2", "ssh h"},
		"a list of arguments":        {"Command '['psql', '--password', 'hunter2', 'db']' failed", "hunter2", "'db']' failed"},
		"SQL's role":                 {"ALTER ROLE a WITH PASSWORD 'hunter2' VALID", "hunter2", "VALID"},
		"a PGP key":                  {"-----BEGIN PGP PRIVATE KEY BLOCK-----\nMIIE\n-----END PGP PRIVATE KEY BLOCK-----e", "MIIE", "e"},
		"the end of a private key":   {"a b MIIEabcdefghijklmnop\n-----END RSA PRIVATE KEY-----", "MIIEabcd", "a b "},
		"Slack's hook":               {"POST https://hooks.slack.com/services/T00/B00/hunter2 failed", "hunter2", "failed"},
		"a token alone in a URL":     {"git+https://Xk93LmQpZr71vTb@git.corp/x.git", "Xk93Lm", "@git.corp/x.git"},
		"Scala's map":                {"Map(user -> u, password -> hunter2)", "hunter2", "user -> u"},
		"aligned local variables":    {"│ token      = 'hunter2' │ n = 1", "hunter2", "n = 1"},
		"a quote that never closes":  {`conf \"password=\\\"hunter2`, "hunter2", "conf"},
		"an npm token":               {"token npm_abcdefghijklmnopqrstuvwxyz0123456789 rejected", "npm_abcdef", "rejected"},
		"an API key of its own look": {"key sk-proj-abcdefghij0123456789 rejected", "sk-proj-abc", "rejected"},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := (&Redactor{}).Text(tc.in)
			if !ok || strings.Contains(got, tc.secret) || !strings.Contains(got, Mask) {
				t.Errorf("%q lets %q through", got, tc.secret)
			}
			if !strings.Contains(got, tc.keeps) {
				t.Errorf("%q lost %q", got, tc.keeps)
			}
			if again, _ := (&Redactor{}).Text(got); again != got {
				t.Errorf("redacted twice: %q, then %q", got, again)
			}
		})
	}
}

func TestHarmlessTextStays(t *testing.T) {
	for _, text := range []string{
		"https://host:8443/path/a@b",
		"abfss://container@account.dfs.core.windows.net/x",
		`secret "db-login" not found`,
		"no viable alternative at input, token: 'FORM'",
		"Access denied for user 'loader'@'10.0.0.1' (using password: YES)",
		"Bearer authentication is required",
		"spark.kubernetes.authenticate.oauthTokenFile=/var/run/token",
		"secretName=db-login",
		"java.lang.SecurityException: invalid token at 7",
		"token=3",
		"org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 1.0 failed 4 times",
		"expected ident, found keyword",
		"io.jsonwebtoken.InvalidToken: The provided token is malformed",
		"spark.kafka.max-token: missing",
		`{"credentials": {"user": "u"}}`,
		"docker run --user 1000:1000 image",
		"com.mysql.cj.jdbc.Driver - port 3306",
		"Received cookie: none",
		"TASK-KEY: 17",
		"fs.s3a.secret.key: not set",
		"https://loader@host/x",
	} {
		if got, _ := (&Redactor{}).Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestSettingsOfTheApplication(t *testing.T) {
	for name, tc := range map[string]struct {
		conf     map[string]string
		literals []job.Literal
		in, want string
	}{
		"a value by its key": {
			conf: map[string]string{"spark.hadoop.fs.s3a.secret.key": "wJalrXUtn"}, in: "signed with wJalrXUtn!", want: "signed with " + Mask + "!",
		},
		"a value of the environment": {literals: []job.Literal{{Name: "DB_PASSWORD", Value: "hunter2"}}, in: "login u/hunter2", want: "login u/" + Mask},
		"a value as a URL shows it": {
			conf: map[string]string{"spark.db.password": "a b+c/d"}, in: "x=a+b%2Bc%2Fd", want: "x=" + Mask,
		},
		"a password inside another setting": {
			conf: map[string]string{"spark.app.url": "jdbc:x://h/d?user=u&password=hunter2"}, in: "FATAL for hunter2", want: "FATAL for " + Mask,
		},
		"a key that the application names": {
			conf: map[string]string{ConfKeyRegex: "(?i)kennwort", "spark.app.kennwort": "geheim1"}, in: "geheim1", want: Mask,
		},
		"the default keys stay in force": {
			conf: map[string]string{ConfKeyRegex: "kennwort", "spark.app.password": "geheim1"}, in: "geheim1", want: Mask,
		},
		"too short":    {conf: map[string]string{"spark.db.password": "abc"}, in: "abcdef", want: "abcdef"},
		"a boolean":    {conf: map[string]string{"spark.secret.on": "true"}, in: "true story", want: "true story"},
		"a number":     {conf: map[string]string{"spark.token.ttl": "360000"}, in: "360000 rows", want: "360000 rows"},
		"a class name": {conf: map[string]string{"spark.token.cls": "org.example.Tokens"}, in: "at org.example.Tokens.x", want: "at org.example.Tokens.x"},
		"a plain path": {conf: map[string]string{"spark.token.file": "/var/run/token"}, in: "/var/run/token is missing", want: "/var/run/token is missing"},
		"the longer secret first": {
			conf: map[string]string{"spark.a.password": "secret1", "spark.b.password": "secret1-and-more"}, in: "secret1-and-more", want: Mask,
		},
		"Spark's own regex":       {conf: map[string]string{ConfStringRegex: "cust-[0-9]+"}, in: "row cust-17 bad", want: "row " + Mask + " bad"},
		"a regex with lookaround": {conf: map[string]string{ConfStringRegex: `(?<=id=)\w+(?=;)`}, in: "id=abc; id=def", want: "id=" + Mask + "; id=def"},
		"Java's quoting":          {conf: map[string]string{ConfStringRegex: `\Qa.b\E+`}, in: "a.bbb axb", want: Mask + " axb"},
		"Java's classes":          {conf: map[string]string{ConfStringRegex: `\p{Upper}{3}[\p{Digit}x]`}, in: "ABC1 ABCx abc1", want: Mask + " " + Mask + " abc1"},
		"a regex for nothing":     {conf: map[string]string{ConfStringRegex: `x*`}, in: "axxb", want: "a" + Mask + "b"},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := New(tc.conf, tc.literals).Text(tc.in)
			if !ok || got != tc.want {
				t.Errorf("%q, %v; want %q", got, ok, tc.want)
			}
		})
	}
}

func TestUnusableExpressionsFailClosed(t *testing.T) {
	for name, pattern := range map[string]string{
		"does not compile":      "(",
		"possessive quantifier": "a++b",
		"class intersection":    "[a-z&&[^b]]",
		"class union":           "[a[bc]]",
		"octal escape":          `\0101`,
		"unknown property":      `\p{javaLowerCase}`,
		"too long":              strings.Repeat("a", maxPattern+1),
	} {
		t.Run(name, func(t *testing.T) {
			for _, key := range []string{ConfStringRegex, ConfKeyRegex} {
				r := New(map[string]string{key: pattern}, nil)
				if got, ok := r.Text("text"); ok || got != "" || !r.Closed() {
					t.Errorf("%s: %q, %v; want nothing", key, got, ok)
				}
			}
		})
	}
}

func TestExplodingExpressionFailsClosed(t *testing.T) {
	r := New(map[string]string{ConfStringRegex: `(a+)+$`}, nil)
	got, ok := r.Text(strings.Repeat("a", 5000) + "!")
	if ok || got != "" || !r.Closed() {
		t.Errorf("%d bytes, %v; want nothing", len(got), ok)
	}
}

// planted are secrets of each kind, none of which may come out, whatever surrounds them.
var planted = []struct{ text, secret string }{
	{"password=Hunter2Hunter2", "Hunter2Hunter2"},
	{"jdbc:x://u:Hunter3Hunter3@h/d", "Hunter3Hunter3"},
	{"Bearer Hunter4.Hunter4-x1", "Hunter4.Hunter4-x1"},
	{"AKIAHUNTERHUNTER5555", "AKIAHUNTERHUNTER5555"},
	{"conf-value-Hunter6", "conf-value-Hunter6"},
}

func FuzzText(f *testing.F) {
	f.Add("Exception: ", " at x", 0)
	f.Add(`{"password": "`, `"}`, 1)
	f.Add("Authorization: ", "\n", 2)
	f.Fuzz(func(t *testing.T, before, after string, which int) {
		p := planted[max(0, which)%len(planted)]
		r := New(map[string]string{"spark.db.password": "conf-value-Hunter6"}, nil)
		in := before + " " + p.text + " " + after
		got, ok := r.Text(in)
		if !ok {
			t.Fatal("closed without an expression of its own")
		}
		if strings.Contains(got, p.secret) {
			t.Fatalf("%q lets %q through", got, p.secret)
		}
		if twice, _ := r.Text(in); twice != got {
			t.Fatalf("%q and %q", got, twice)
		}
	})
}

func FuzzJavaRegex(f *testing.F) {
	f.Add(`(?<=x)a+`, "xaa")
	f.Add(`[a-z&&[^b]]`, "abc")
	f.Add(`\Qa\E\p{Alpha}[\h]\P{Punct}`, "a b")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(text) > 4096 {
			return
		}
		r := New(map[string]string{ConfStringRegex: pattern}, nil)
		got, ok := r.Text(text)
		if !ok && got != "" {
			t.Fatalf("closed, and yet %q", got)
		}
		if limit := (len(text) + 1) * (len(Mask) + 4); len(got) > limit {
			t.Fatalf("%d bytes of %d", len(got), len(text))
		}
	})
}

package redact

import (
	"strings"
	"testing"
)

// leaks are secrets in the notations of the software that prints them. Each text holds Gx7mQz21Lt, Pw4nVc88Rk or both,
// and nothing of them may come out; keeps must.
var leaks = map[string]struct{ in, keeps string }{
	"SQL Server's braces":               {"jdbc:sqlserver://h;user=u;password={Ab;Gx7mQz21Lt};encrypt=true", ";encrypt=true"},
	"SQL Server's doubled brace":        {"jdbc:sqlserver://h;password={Ab}}Gx7mQz21Lt};encrypt=true", ";encrypt=true"},
	"a comma in a password":             {"url=jdbc:sqlserver://h;password=Ab,Gx7mQz21Lt;encrypt=true", ";encrypt=true"},
	"a less-than sign in a password":    {"jdbc:postgresql://h/d?password=Ab<Gx7mQz21Lt&ssl=true", "&ssl=true"},
	"an ampersand in a password":        {"jdbc:postgresql://h/d?password=Ab&Gx7mQz21Lt&ssl=true", "&ssl=true"},
	"a semicolon in a password":         {"password=Ab;Gx7mQz21Lt user=u", "user=u"},
	"a quote in a password":             {`password=Ab"Gx7mQz21Lt user=u`, "user=u"},
	"an apostrophe in a password":       {"password=Ab'Gx7mQz21Lt user=u", "user=u"},
	"a bracket in a password":           {"password=Ab)Gx7mQz21Lt] user=u", "user=u"},
	"a doubled quote in SQL":            {"ALTER USER x WITH PASSWORD 'Ab''Gx7mQz21Lt' VALID", "VALID"},
	"a doubled double quote":            {`connect "password=""Ab Gx7mQz21Lt""" n`, "connect"},
	"an escaped apostrophe":             {`{'password': 'Ab\'Gx7mQz21Lt', 'n': 1}`, "'n': 1"},
	"a bracket in Spark's pairs":        {"(spark.app.password,Ab(Gx7mQz21Lt))", "(spark.app.password,"},
	"Spark's pairs without brackets":    {"spark.app.password,Gx7mQz21Lt", "spark.app.password,"},
	"Spark's properties":                {"spark.app.password                 Gx7mQz21Lt\nspark.x  1", "spark.x  1"},
	"JSON in JSON in JSON":              {`{\\\"password\\\":\\\"Gx7mQz21Lt\\\",\\\"n\\\":1}`, "n"},
	"a quote in JSON in JSON":           {`{\"password\":\"Ab\\\"Gx7mQz21Lt\",\"n\":1}`, `\"n\":1`},
	"JSON that spells its signs":        {`{\u0022password\u0022:\u0022Gx7mQz21Lt\u0022,\u0022n\u0022:1}`, "n"},
	"an equals sign that is spelled":    {`?password\u003dGx7mQz21Lt\u0026n=1`, "n=1"},
	"a URL within a URL":                {"?next=%2Fcb%3Fpassword%3DGx7mQz21Lt%26n%3D1", "%26n%3D1"},
	"a URL within a URL, twice":         {"?next=%252Fcb%253Fpassword%253DGx7mQz21Lt%2526n%253D1", "n%253D1"},
	"a password that is encoded":        {"?password=Ab%20Gx7mQz21Lt&n=1", "&n=1"},
	"XML in XML":                        {"&lt;password&gt;Gx7mQz21Lt&lt;/password&gt;&lt;n/&gt;", "n/&gt;"},
	"XML in XML, twice":                 {"&amp;lt;password&amp;gt;Gx7mQz21Lt&amp;lt;/password&amp;gt;", "password"},
	"XML's attribute":                   {`<add key="DbPassword" value="Gx7mQz21Lt"/><n/>`, "<n/>"},
	"Java's XML properties":             {`<entry key="db.password">Gx7mQz21Lt</entry><n/>`, "<n/>"},
	"full width":                        {"ｐａｓｓｗｏｒｄ＝Gx7mQz21Lt n", " n"},
	"a no-break space":                  {"password\u00a0=\u00a0Gx7mQz21Lt n", " n"},
	"a narrow no-break space":           {"password:\u202fGx7mQz21Lt n", " n"},
	"a soft hyphen in a name":           {"pass\u00adword=Gx7mQz21Lt n", " n"},
	"a zero-width space in a name":      {"pass\u200bword=Gx7mQz21Lt n", " n"},
	"environment variables":             {"HOME=/root DB_PW=Gx7mQz21Lt REDIS_PASS=Pw4nVc88Rk LANG=C", "LANG=C"},
	"camel case":                        {"dbPasswd: Gx7mQz21Lt, userPwd: Pw4nVc88Rk, n: 1", "n: 1"},
	"keyPass":                           {"keyPass: Gx7mQz21Lt, n: 1", "n: 1"},
	"a block of YAML":                   {"db:\n  password: |\n    Gx7mQz21Lt\n    Pw4nVc88Rk\n  user: u", "user: u"},
	"a block of YAML on one line":       {"db: password: >- Gx7mQz21Lt user: u", "user: u"},
	"a container's variable":            {"- name: DB_PASSWORD\n  value: Gx7mQz21Lt\n- name: X\n  value: y", "value: y"},
	"a container's variable in JSON":    {`[{"name":"DB_PASSWORD","value":"Gx7mQz21Lt"},{"name":"X","value":"y"}]`, `"value":"y"`},
	"an object of Java":                 {"EnvVar(name=DB_PASSWORD, value=Gx7mQz21Lt, valueFrom=null)", "valueFrom=null"},
	"an object of Python":               {"V1EnvVar(name='API_TOKEN', value='Gx7mQz21Lt')", "API_TOKEN"},
	"Spring":                            {`Property: spring.datasource.password Value: "Gx7mQz21Lt" Origin: x`, "Origin: x"},
	"pydantic":                          {"1 validation error for Settings\ndb_password\n  String too short [type=string_too_short, input_value='Gx7mQz21Lt', input_type=str]", "input_type=str"},
	"Terraform's variable":              {"terraform apply -var db_password Gx7mQz21Lt -n", " -n"},
	"Terraform's default":               {`variable "db_password" { default = "Gx7mQz21Lt" }`, "variable"},
	"Hadoop's configuration":            {"<property><name>fs.s3a.secret.key</name>\n<value>Gx7mQz21Lt</value></property>", "</property>"},
	"properties without a sign":         {"fs.cos.service.secret.key Gx7mQz21Lt; n=1", "n=1"},
	"a raw Authorization header":        {"headers {Authorization=Gx7mQz21Lt, n=1}", "headers"},
	"a raw Authorization header, JSON":  {`{"Authorization": "Gx7mQz21Lt", "n": 1}`, `"n": 1`},
	"an Authorization header of Azure":  {"Authorization: SharedKey acct:Gx7mQz21Lt\nn", "\nn"},
	"an Authorization header in a list": {"[('Authorization', 'Basic Gx7mQz21Lt'), ('n', '1')]", "'n'"},
	"a password that begins like a port": {
		"amqp://u:77/Gx7mQz21Lt@mq:5672/v refused", "@mq:5672/v",
	},
	"a password that is a number and a question": {"amqp://u:5672?Gx7mQz21Lt@mq/v refused", "@mq/v"},
	"a URL without a scheme":                     {"unknown host 'u:Gx7mQz21Lt@db.internal:5432'", "@db.internal:5432"},
	"a URL without a scheme or port":             {"cannot reach u:Gx7mQz21Lt@db.internal/x", "@db.internal/x"},
	"a URL without a user":                       {"redis://:Gx7mQz21Lt@cache:6379/0", "@cache:6379/0"},
	"the end of a key in JSON":                   {`x ...Gx7mQz21Lt\nPw4nVc88RkPw4nVc88Rk\nAb==\n-----END PRIVATE KEY-----\n", "n": 1}`, `"n": 1`},
	"the beginning of a key in JSON":             {`{"n": 1, "k": "-----BEGIN PRIVATE KEY-----\nGx7mQz21Lt\nPw4nVc88Rk`, `"n": 1`},
	"a key of OpenSSH":                           {"-----BEGIN OPENSSH PRIVATE KEY-----\nGx7mQz21Lt\n-----END OPENSSH PRIVATE KEY----- n", " n"},
	".pgpass":                                    {"bad line in .pgpass: db:5432:dwh:u:Gx7mQz21Lt", ".pgpass"},
	".netrc":                                     {"machine h login u password Gx7mQz21Lt", "login u"},
	"a kubeconfig":                               {"user:\n  client-key-data: LS0tLS1CRUdJTiGx7mQz21Lt\n  n: 1", "n: 1"},
	"a kubeconfig's token":                       {"user:\n    token: Gx7mQz21Lt\n    n: 1", "n: 1"},
	"Docker's configuration":                     {`{"auths":{"h":{"auth":"Gx7mQz21LtPw4nVc88Rk"}}}`, "auths"},
	"npm's configuration":                        {"//registry.npmjs.org/:_authToken=Gx7mQz21Lt", "registry.npmjs.org"},
	"sshpass in a list":                          {"Command '['sshpass', '-p', 'Gx7mQz21Lt', 'sftp', 'x']' failed", "'sftp'"},
	"sshpass without a blank":                    {"sshpass -pGx7mQz21Lt ssh h", "ssh h"},
	"curl in a list":                             {"['curl', '-u', 'etl:Gx7mQz21Lt', 'https://h']", "https://h"},
	"redis-cli":                                  {"redis-cli -h h -a Gx7mQz21Lt ping", "ping"},
	"ldapsearch":                                 {"ldapsearch -x -D cn=a -w Gx7mQz21Lt -b dc=x", "-b dc=x"},
	"beeline":                                    {"beeline -u jdbc:hive2://h -n u -p Gx7mQz21Lt -e x", "-e x"},
	"an option in a list":                        {`["--db-password", "Gx7mQz21Lt", "--n"]`, `"--n"`},
	"an option with an equals sign in a list":    {`["--db-password=Gx7mQz21Lt", "--n"]`, `"--n"`},
	"a sentence":                                 {"login failed with password Gx7mQz21Lt for user u", "for user u"},
	"a sentence with is":                         {"the password is Gx7mQz21Lt, try again", "try again"},
	"a sentence with a user":                     {"bad password for user etl: Gx7mQz21Lt", "for user etl"},
	"a sentence in quotes":                       {"API key 'Gx7mQz21Lt' is not active", "is not active"},
	"a sentence about a secret key":              {"The access key secret Gx7mQz21Lt is invalid", "is invalid"},
	"a sentence about credentials":               {"LDAP bind uid=etl credentials Gx7mQz21Lt", "uid=etl"},
	"a hexadecimal token":                        {"token 0a1b2c3d4e5f60718293a4b5c6d7e8f9Gx7mQz21Lt rejected", "rejected"},
	"a token behind a colon":                     {"authToken:Gx7mQz21Lt rejected", "rejected"},
	"SQL that decrypts":                          {"select aes_decrypt(c, 'Gx7mQz21Lt') from t", "from t"},
	"SQL that decrypts with a function":          {"select aes_decrypt(unbase64(c), 'Gx7mQz21Lt', 'GCM') from t", "from t"},
	"PostgreSQL's decryption":                    {"select pgp_sym_decrypt(c::bytea, 'Gx7mQz21Lt') from t", "from t"},
	"MySQL's user":                               {"CREATE USER u IDENTIFIED WITH mysql_native_password BY 'Gx7mQz21Lt' x", " x"},
	"Oracle's user":                              {"CREATE USER u IDENTIFIED BY Gx7mQz21Lt QUOTA 1", "QUOTA 1"},
	"DuckDB's secret":                            {"CREATE SECRET (TYPE S3, KEY_ID 'k', SECRET 'Gx7mQz21Lt', n)", "TYPE S3"},
	"Redshift's credentials":                     {"CREDENTIALS 'aws_access_key_id=k;aws_secret_access_key=Gx7mQz21Lt' n", " n"},
	"a header of server-side encryption":         {"x-amz-server-side-encryption-customer-key: Gx7mQz21Lt=", "x-amz-server-side"},
	"AWS's secret beside its id":                 {"key AKIAQWERTYUIOPASDFGH / Gx7mQz21LtPw4nVc88RkAbCdEfGhIjKlMnOpQrSt n", " n"},
	"Slack's path":                               {"Max retries exceeded with url: /services/T00000000/B00000000/Gx7mQz21Lt (x)", "(x)"},
	"Telegram's path":                            {"https://api.telegram.org/bot123456789:AAGx7mQz21LtPw4nVc88Rk/send", "/send"},
	"a dataclass":                                {"Settings(user='u', db_password=SecretStr('Gx7mQz21Lt'), n=1)", "n=1"},
	"bytes of Python":                            {"{'password': b'Gx7mQz21Lt', 'n': 1}", "'n': 1"},
	"an index":                                   {"conf['password'] = 'Gx7mQz21Lt' # n", "# n"},
	"a list of passwords":                        {`{"passwords": ["Gx7mQz21Lt"], "n": 1}`, `"n": 1`},
	"Go":                                         {`Config{Password:"Gx7mQz21Lt", N:1}`, "N:1"},
	"Go's map":                                   {"map[password:Gx7mQz21Lt user:u]", "user:u"},
	"Ruby":                                       {`{:password=>"Gx7mQz21Lt", :n=>1}`, ":n=>1"},
	"JAAS":                                       {`PlainLoginModule required username="u" password="Gx7mQz21Lt";`, `username="u"`},
	"a connection string":                        {"Server=h;Uid=u;Pwd=Gx7mQz21Lt;N=1", "N=1"},
	"Event Hubs":                                 {"Endpoint=sb://h/;SharedAccessKeyName=k;SharedAccessKey=Gx7mQz21Lt=;EntityPath=e", "EntityPath=e"},
	"Azure's client secret":                      {"client_id=c&client_secret=Gx7mQz21Lt&grant_type=g", "grant_type=g"},
	"MongoDB's address":                          {"mongodb+srv://u:Gx7mQz21Lt@c0.mongodb.net/d", "@c0.mongodb.net/d"},
	"Snowflake's options":                        {"Map(sfUser -> u, sfPassword -> Gx7mQz21Lt, sfRole -> r)", "sfRole -> r"},
	"Kafka's options":                            {"ssl.keystore.password = Gx7mQz21Lt\nssl.key.password = Pw4nVc88Rk\nn = 1", "n = 1"},
}

func TestNoNotationLeaks(t *testing.T) {
	for name, tc := range leaks {
		t.Run(name, func(t *testing.T) {
			got, ok := (&Redactor{}).Text(tc.in)
			if !ok || strings.Contains(got, "Gx7mQz21Lt") || strings.Contains(got, "Pw4nVc88Rk") {
				t.Errorf("%q became %q", tc.in, got)
			}
			if !strings.Contains(got, tc.keeps) {
				t.Errorf("%q lost %q", got, tc.keeps)
			}
			oneLine := strings.Join(strings.Fields(tc.in), " ")
			if got, _ := (&Redactor{}).Text(oneLine); strings.Contains(got, "Gx7mQz21Lt") {
				t.Errorf("on one line %q became %q", oneLine, got)
			}
		})
	}
}

func TestTokensOfVendors(t *testing.T) {
	const body = "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
	for _, prefix := range tokenPrefixes {
		got, _ := (&Redactor{}).Text("401 for " + prefix + body + ", retry")
		if want := "401 for " + Mask + ", retry"; got != want {
			t.Errorf("%s: %q", prefix, got)
		}
	}
	for _, plain := range []string{
		"sk-learn-contrib-pipelines", "SKIPPED_BECAUSE_OF_DEPENDENCIES", "SG.ingress.allowed.everywhere", "npm_config_registry_url_override",
		"hf_transformers_cache_directory", "key-value-store-of-the-team-2", "API-GATEWAY-TIMEOUT-HANDLER", "dapi_client_library_v2",
	} {
		if got, _ := (&Redactor{}).Text(plain + " failed"); got != plain+" failed" {
			t.Errorf("%q became %q", plain, got)
		}
	}
}

func TestKnownValuesInEveryForm(t *testing.T) {
	const secret = `Gx7 m"Q&z/2<1+Lt`
	r := New(map[string]string{"spark.app.password": secret, "spark.app.pin.password": "83726151"}, nil)
	for name, text := range map[string]string{
		"as it is":           secret,
		"upper case":         strings.ToUpper(secret),
		"URL":                "Gx7+m%22Q%26z%2F2%3C1%2BLt",
		"URL's path":         "Gx7%20m%22Q&z%2F2%3C1+Lt",
		"URL within a URL":   "Gx7%2520m%2522Q%2526z%252F2%253C1%252BLt",
		"XML":                "Gx7 m&quot;Q&amp;z/2&lt;1+Lt",
		"HTML's numbers":     "Gx7&#32;m&#34;Q&#38;z&#47;2&#60;1&#43;Lt",
		"JSON":               `Gx7 m\"Q&z\/2<1+Lt`,
		"JSON's escapes":     `Gx7 m\u0022Q\u0026z/2\u003c1\u002bLt`,
		"a no-break space":   "Gx7\u00a0m\"Q&z/2<1+Lt",
		"full width":         "Ｇｘ７ m\"Q&z/2<1+Lt",
		"base64":             "R3g3IG0iUSZ6LzI8MStMdA==",
		"base64 of a pair":   "dTpHeDcgbSJRJnovMjwxK0x0",
		"base64 of two more": "dXM6R3g3IG0iUSZ6LzI8MStMdA==",
		"hex":                "477837206d2251267a2f323c312b4c74",
		"a number":           "etl/83726151",
	} {
		got, ok := r.Text("x " + text + " y")
		if !ok || !strings.Contains(got, Mask) || len(got) > len("x dXM etl/ y")+len(Mask)+4 {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got, _ := r.Text("983726151 rows"); got != "983726151 rows" {
		t.Errorf("part of a number became %q", got)
	}
}

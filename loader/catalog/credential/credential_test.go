package credential

import (
	"strings"
	"testing"
)

// Every secret here is assembled from pieces and invented, so that no file
// holds the shape of one.

// letters returns n letters and digits in both cases, without a pattern.
func letters(n int) string {
	const mix = "a7Kq2Zt9Lx4Bv8Nc3Rw6Hs5Jd0Pg1Fm"
	return strings.Repeat(mix, n/len(mix)+1)[:n]
}

func hex(n int) string {
	const mix = "3f9a0c7e51b8d264"
	return strings.Repeat(mix, n/len(mix)+1)[:n]
}

func upper(n int) string {
	const mix = "QX3ZK7WJ2VB5NP4D"
	return strings.Repeat(mix, n/len(mix)+1)[:n]
}

func TestScanFinds(t *testing.T) {
	for name, s := range map[string]string{
		"hugging face":             "hf" + "_" + letters(34),
		"hugging face, shortest":   "hf" + "_" + letters(30),
		"api_org":                  "api" + "_org_" + letters(34),
		"github":                   "cloned with gh" + "p_" + letters(36),
		"github fine-grained":      "github" + "_pat_" + letters(22) + "_" + letters(59),
		"gitlab":                   "adapters/gl" + "pat-" + letters(20),
		"gitlab runner":            "gl" + "rt-" + letters(20),
		"aws id":                   "AK" + "IA" + upper(16),
		"aws temporary id":         "(AS" + "IA" + upper(16) + ")",
		"openai":                   "s" + "k-" + letters(48),
		"openai, shortest":         "s" + "k-" + letters(32),
		"openai project":           "s" + "k-proj-" + letters(16),
		"anthropic":                "s" + "k-ant-api03-" + letters(40),
		"groq":                     "gs" + "k_" + letters(52),
		"replicate":                "r" + "8_" + letters(37),
		"perplexity":               "pp" + "lx-" + letters(48),
		"slack":                    "xo" + "xb-1234567890-" + letters(10),
		"google":                   "AI" + "za" + letters(35),
		"google access":            "ya" + "29." + letters(30),
		"nvidia":                   "nv" + "api-" + letters(64),
		"npm":                      "np" + "m_" + letters(36),
		"pypi":                     "pypi-" + "AgE" + letters(60),
		"docker":                   "dckr" + "_pat_" + letters(27),
		"vault":                    "hv" + "s." + letters(90),
		"age":                      "AGE-SECRET-" + "KEY-1" + upper(58),
		"jwt":                      "ey" + "J" + letters(20) + "." + letters(30) + "." + letters(20),
		"bearer":                   "Bear" + "er " + letters(24),
		"bearer, any case":         "BEAR" + "ER " + letters(16),
		"authorization":            "authori" + "zation: Basic " + letters(20),
		"authorization, no scheme": "Authori" + "zation: " + letters(20),
		"authorization, json":      `{"Authori` + `zation": "Bear` + `er ` + letters(20) + `"}`,
		"url":                      "https://bob:" + letters(6) + "@example.org/x",
		"url without a user":       "redis://:" + letters(6) + "@db:6379",
		"slack webhook":            "https://hooks.slack." + "com/services/T0AB/B0CD/" + letters(24),
		"wandb":                    "wandb login " + hex(40),
		"wandb after":              hex(40) + " is the W&B key",
		"aws secret":               "aws_secret_access_key " + letters(40),
		"pem":                      "-----BEGIN RSA PRIV" + "ATE KEY-----\n" + letters(30),
		"pem, plain":               "x -----BEGIN PRIV" + "ATE KEY-----",
		"pem, pgp":                 "-----BEGIN PGP PRIV" + "ATE KEY BLOCK-----",
		"pem, ssh2":                "---- BEGIN SSH2 ENCRYPTED PRIV" + "ATE KEY ----",
		"putty":                    "PuTTY-User-Key-" + "File-3: ssh-ed25519",
		"secretKeyRef":             "valueFrom:\n  secret" + "KeyRef:\n    name: x",
		"secretName":               "secret" + "Name: tls",
		"existingSecret":           "--set existing" + "Secret=hf",
		"imagePullSecrets":         "imagePull" + "Secrets: [{name: r}]",
		"secretRef":                "secret" + "Ref",
		"kind":                     "apiVersion: v1\nkind: " + "Secret\n",
		"kind, json":               `{"kind":"` + `Secret"}`,
		"secret path":              "kubectl get secret" + "/hf-read -o yaml",
		"kubeconfig":               "~/.kube" + "/config",
		"kubeconfig path":          "/etc/bench/kube" + "config",
		"kubeconfig assigned":      "KUBE" + "CONFIG=/tmp/kc.yaml kubectl",
		"kubeconfig flag":          "--kube" + "config=/tmp/kc.yaml",
		"kubeconfig flag, blank":   "kubectl --kube" + "config /tmp/kc.yaml",
		"api key":                  "OPENAI_API" + "_KEY=" + letters(12),
		"token":                    "run HF_TO" + "KEN='" + letters(12) + "' x",
		"password":                 "DB_PASS" + "WORD=hunter2",
		"secret":                   "CLIENT_SEC" + "RET=" + letters(9),
		"flag =":                   "--api" + "-key=" + letters(12),
		"flag blank":               "run --tok" + "en " + letters(12) + " --now",
		"flag quoted":              `--pass` + `word "` + letters(12) + `"`,
		"last of many":             strings.Repeat("tokens_per_s, ", 100) + "hf" + "_" + letters(34),
	} {
		f, found := Scan(s, "note")
		if !found {
			t.Errorf("%s: not found", name)
			continue
		}
		if f.Kind == "" || f.Start < 0 || f.End <= f.Start || f.End > len(s) {
			t.Errorf("%s: finding %+v of %d bytes", name, f, len(s))
		}
	}
}

func TestScanPasses(t *testing.T) {
	for _, s := range []string{
		"", "a", hex(64), hex(40), "commit " + hex(40), "run 123e4567-e89b-12d3-a456-426614174000",
		"registry.example.org/client@sha256:" + hex(64),
		"docker://img:v1@sha256:" + hex(64),
		"wandb/wandb at commit " + hex(40), "aws-samples at " + hex(40), "wandb digest " + hex(64),
		"wandb" + strings.Repeat(" ", 60) + hex(40),
		"laws " + letters(40),
		"max_tokens", "tokenizer", "--tokenizer example/tok", "pooled_tokens", "tokens_per_s", "the tokenizer counted output_tokens",
		"HF_TOKEN", "reads HF_TOKEN from the environment", "OPENAI_API_KEY must be set", "MAX_TOKENS=100", "hf_token=abc",
		"HF_TOKEN=$HF_TOKEN", "HF_TOKEN=${HF_TOKEN}", "HF_TOKEN=", `HF_TOKEN=""`, "OPENAI_API_KEY=xxx", "OPENAI_API_KEY=EMPTY", "HF_TOKEN=hf_...",
		"--password=REDACTED", "--api-key EMPTY", "--token <token>", "--token ***", "--token", "pass it with --token to the server", "--token --now", "--api-key HF_TOKEN",
		"--token-file /run/x", "Bearer $TOKEN", "Bearer <token>", "Bearer xxxxxxxxxxxxxxxxxxxx", "Authorization: Bearer ${T}", "the bearer of bad news", "Authorization: none",
		"hf_config", "sk-learn", "r8_a", "AKIRA", "npm_install", "glpat-x", "hf_" + strings.Repeat("x", 34), "ghp_" + strings.Repeat("x", 36),
		"ta" + "sk-" + letters(40), "AKIA" + strings.Repeat("A", 40),
		"-----BEGIN CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----", "a PRIVATE KEY",
		"https://example.org:8443/a/b@c?d=e#f", "https://user@example.org", "https://u:$PASS@example.org", "https://u:***@example.org",
		"the kubeconfig is not kept", "KUBECONFIG=$X", "--kubeconfig=$KUBECONFIG", "/etc/kubeconfig/x", "/etc/kubeconfig.d",
		"secret/<name>", "kind: SecretStore", "kind: Deployment", "/var/run/secrets/kubernetes.io", "a secret", "hooks.slack.com/services/T0/B0/" + strings.Repeat("X", 24),
		"eyJ.x.y",
	} {
		if f, found := Scan(s, "note"); found {
			t.Errorf("%q is taken for %s at %d:%d", s, f.Kind, f.Start, f.End)
		}
	}
}

func TestScanTakesTheKeyAsKeyword(t *testing.T) {
	for key, s := range map[string]string{"wandb_key": hex(40), "aws_secret": letters(40)} {
		if _, found := Scan(s, key); !found {
			t.Errorf("value of %s: not found", key)
		}
		if _, found := Scan(s, "note"); found {
			t.Errorf("value of note: found")
		}
	}
	if _, found := Scan("Sec"+"ret", "kind"); !found {
		t.Error("kind Secret: not found")
	}
}

func TestNext(t *testing.T) {
	for _, c := range []struct {
		arg, next string
		want      bool
	}{
		{"--api-key", letters(20), true},
		{"--hf-token", "hunter2", true},
		{"--kubeconfig", "/tmp/kc.yaml", true},
		{"--token", "${TOKEN}", false},
		{"--token", "<token>", false},
		{"--api-key", "EMPTY", false},
		{"--token", "--now", false},
		{"--tokenizer", "example/tok", false},
	} {
		if _, got := Next(c.arg, c.next); got != c.want {
			t.Errorf("Next(%s): %v", c.arg, got)
		}
	}
}

// FuzzScan holds the scan to its bounds: a finding lies in the text, and words
// in front of it or behind it do not hide it.
func FuzzScan(f *testing.F) {
	for _, s := range []string{"", "a=b", "://:@", "AWS", "--token x", "hf" + "_" + letters(34), "kind:", "-----BEGIN "} {
		f.Add(s, "key")
	}
	f.Fuzz(func(t *testing.T, s, key string) {
		if g, found := Scan(s, key); found && (g.Start < 0 || g.End > len(s) || g.Start >= g.End) {
			t.Fatalf("%+v in %d bytes", g, len(s))
		} else if found && key != "kind" {
			for _, text := range []string{"it says " + s, s + "\nand more"} {
				if _, found := Scan(text, key); !found {
					t.Fatalf("%s is found in %q and not in %q", g.Kind, s, text)
				}
			}
		}
	})
}

func BenchmarkScan(b *testing.B) {
	s := "vllm/vllm-openai@sha256:" + hex(64) + " counted by the tokenizer, https://example.org/results.json?x=y"
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Scan(s, "note")
	}
}

package main

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// mix returns n letters and digits in both cases. Every secret here is made of
// pieces and invented, so that no file holds the shape of one.
func mix(n int) string {
	const m = "a7Kq2Zt9Lx4Bv8Nc3Rw6Hs5Jd0Pg1Fm"
	return strings.Repeat(m, n/len(m)+1)[:n]
}

func mixUpper(n int) string { return strings.Repeat("QX3ZK7WJ2VB5NP4D", n/16+1)[:n] }
func mixHex(n int) string   { return strings.Repeat("3f9a0c7e51b8d264", n/16+1)[:n] }

// secretKinds are all kinds of credentials, each on one line.
var secretKinds = map[string]string{
	"hugging face": "hf" + "_" + mix(34), "hugging face organisation": "api" + "_org_" + mix(34),
	"github p": "gh" + "p_" + mix(36), "github o": "gh" + "o_" + mix(36), "github u": "gh" + "u_" + mix(36), "github s": "gh" + "s_" + mix(36), "github r": "gh" + "r_" + mix(36),
	"github fine-grained": "github" + "_pat_" + mix(40), "gitlab": "gl" + "pat-" + mix(20), "gitlab deploy": "gl" + "dt-" + mix(20), "gitlab runner": "gl" + "rt-" + mix(20),
	"gitlab trigger": "gl" + "ptt-" + mix(20), "gitlab build": "gl" + "cbt-" + mix(20), "gitlab oauth": "gl" + "soat-" + mix(20), "gitlab feature": "gl" + "ffct-" + mix(20),
	"aws id": "AK" + "IA" + mixUpper(16), "aws temporary": "AS" + "IA" + mixUpper(16), "aws bearer": "AB" + "IA" + mixUpper(16), "aws context": "AC" + "CA" + mixUpper(16),
	"sk": "s" + "k-" + mix(32), "sk project": "s" + "k-proj-" + mix(20), "sk ant": "s" + "k-ant-" + mix(20), "sk or": "s" + "k-or-v1-" + mix(20),
	"groq": "gs" + "k_" + mix(52), "replicate": "r" + "8_" + mix(37), "perplexity": "pp" + "lx-" + mix(48),
	"slack b": "xo" + "xb-" + mix(20), "slack p": "xo" + "xp-" + mix(20), "slack a": "xo" + "xa-" + mix(20), "slack r": "xo" + "xr-" + mix(20), "slack s": "xo" + "xs-" + mix(20), "slack app": "xa" + "pp-" + mix(20),
	"google": "AI" + "za" + mix(35), "google access": "ya" + "29." + mix(30), "nvidia": "nv" + "api-" + mix(64), "npm": "np" + "m_" + mix(36), "pypi": "pypi-" + "AgE" + mix(60),
	"docker": "dckr" + "_pat_" + mix(27), "vault": "hv" + "s." + mix(90), "age": "AGE-SECRET-" + "KEY-1" + mixUpper(58),
	"web token": "ey" + "J" + mix(20) + "." + mix(30) + "." + mix(20), "bearer": "Bear" + "er " + mix(24), "authorization": "Authori" + "zation: " + mix(20),
	"url password": "https://bob:" + mix(9) + "@example.org/x", "slack webhook": "https://hooks.slack." + "com/services/T0AB/B0CD/" + mix(24),
	"wandb": "wandb login " + mixHex(40), "aws secret": "aws_secret_access_key " + mix(40),
	"pem": "-----BEGIN RSA PRIV" + "ATE KEY----- " + mix(30), "pgp": "-----BEGIN PGP PRIV" + "ATE KEY BLOCK----- " + mix(30), "putty": "PuTTY-User-Key-" + "File-3 " + mix(20),
	"secretKeyRef": "secret" + "KeyRef of " + mix(20), "secretRef": "secret" + "Ref of " + mix(20), "secretName": "secret" + "Name of " + mix(20),
	"existingSecret": "existing" + "Secret of " + mix(20), "imagePullSecrets": "imagePull" + "Secrets of " + mix(20), "kind": "kind: " + "Secret of " + mix(20), "secret path": "secret" + "/" + mix(20),
	"kube config": "~/.kube" + "/config of " + mix(20), "kubeconfig path": mix(20) + "/kube" + "config", "kubeconfig assigned": "KUBE" + "CONFIG=" + mix(20), "kubeconfig flag": "--kube" + "config " + mix(20),
	"api key": "A_API" + "_KEY=" + mix(20), "token": "A_TO" + "KEN=" + mix(20), "secret": "A_SEC" + "RET=" + mix(20), "password": "A_PASS" + "WORD=" + mix(20),
	"flag api-key": "--api" + "-key=" + mix(20), "flag token": "--tok" + "en " + mix(20), "flag hf-token": "--hf" + "-token=" + mix(20), "flag password": "--pass" + "word=" + mix(20),
}

// TestNothingSecretGetsOut loads every kind of credential at every place of
// every kind of document, and looks for it in what is printed and in every byte
// of the database. A short run takes every sixth kind.
func TestNothingSecretGetsOut(t *testing.T) {
	read := func(name string) string {
		content, err := os.ReadFile("../../testdata/demo/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	run, registry := read("catalog/measurements/demo-open/demo-h100-tp4.yaml"), read("catalog/measurements/sources.yaml")
	evaluation := read("evaluations/demo-eval-chat.yaml")
	t.Chdir(t.TempDir())
	for i, kind := range slices.Sorted(maps.Keys(secretKinds)) {
		if !wholeSoak() && i%6 != 0 {
			continue
		}
		secret := secretKinds[kind]
		quoted, err := json.Marshal(secret)
		if err != nil {
			t.Fatal(err)
		}
		inside := string(quoted[1 : len(quoted)-1])
		files := map[string]string{}
		for name, document := range map[string]string{"run": run, "registry": registry, "evaluation": evaluation} {
			files[name+"-value.yaml"] = document + "extra: " + string(quoted) + "\n"
			files[name+"-list.yaml"] = document + "extra: [a, {b: [" + string(quoted) + "]}]\n"
			files[name+"-comment.yaml"] = document + "# " + secret + "\n"
			files[name+"-comment-behind.yaml"] = strings.Replace(document, "kind:", "extra: 1 # "+secret+"\nkind:", 1)
			files[name+"-cr.yaml"] = strings.ReplaceAll(document+"# "+secret+"\n", "\n", "\r")
			files[name+"-broken.yaml"] = document + "broken: [\n# " + secret + "\n"
			files[name+"-key.yaml"] = document + "? " + string(quoted) + "\n: 1\n"
		}
		row := captureRow(4, "")
		for name, old := range map[string]string{"model": `"dsr1"`, "framework": `"vllm"`, "hardware": `"h200"`} {
			files["row-"+name+".json"] = strings.Replace(row, old, string(quoted), 1)
		}
		files["row-extra.json"] = captureRow(4, `,"extra":{"deep":["`+inside+`"]}`)
		files["row-key.json"] = captureRow(4, `,"`+inside+`":1`)
		files["row-image.json"] = captureRow(4, `,"image":"`+inside+`"`)
		files["row-metric.json"] = strings.Replace(row, `"median_ttft":0.5`, `"median_ttft":0.5,"note":"`+inside+`"`, 1)
		files["row-metric-key.json"] = strings.Replace(row, `"median_ttft":0.5`, `"median_ttft":0.5,"`+inside+`":1`, 1)
		files["row-workers.json"] = captureRow(4, `,"workers":[{"command":"`+inside+`"}]`)
		paths := []string{}
		for name, content := range files {
			if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, name)
		}
		os.Remove("w.db")
		table := runMeasured(t, nil, append([]string{"load", "--db", "w.db"}, paths...)...)
		jsonl := runMeasured(t, nil, append([]string{"load", "--db", "w.db", "--format", "jsonl"}, paths...)...)
		valid := runMeasured(t, nil, append([]string{"validate", "--strict"}, paths...)...)
		said := map[string]bool{}
		for _, line := range strings.Split(jsonl.output, "\n") {
			var d documentJSON
			if json.Unmarshal([]byte(line), &d) != nil {
				continue
			}
			for _, p := range d.Problems {
				said[d.File] = said[d.File] || p.Rule == "credential" && !d.Valid
			}
		}
		for _, name := range paths {
			if !said[name] {
				t.Errorf("%s: not found in %s", kind, name)
			}
		}
		if table.code != exitFindings || jsonl.code != exitFindings || valid.code != exitFindings {
			t.Errorf("%s: exit codes %d, %d, %d: %.300s", kind, table.code, jsonl.code, valid.code, table.output)
		}
		database, err := os.ReadFile("w.db")
		if err != nil {
			t.Fatal(err)
		}
		for place, text := range map[string]string{"the messages": table.output, "jsonl": jsonl.output, "validate": valid.output, "the database": string(database)} {
			for _, part := range []string{mix(9), mixUpper(9), mixHex(9)} {
				if i := strings.Index(text, part); i >= 0 {
					t.Errorf("%s: shown in %s near byte %d of %d", kind, place, i, len(text))
				}
			}
		}
	}
}

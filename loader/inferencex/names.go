package inferencex

import "strings"

// Names of the publisher, as data: a new hardware, framework, model or word is
// one line here. Lookups return the canonical name and whether it is known; an
// unknown name comes back as it was written, to be kept and reported.

// hardwareNames are the GPU keys.
var hardwareNames = words(
	"h100", "h200", "b200", "b300", "gb200", "gb300", "vr200",
	"mi300x", "mi325x", "mi355x", "rtx6000pro",
)

// frameworks maps each serving framework to the engine that serves under it.
var frameworks = map[string]string{
	"atom":          "atom",
	"dynamo-sglang": "sglang",
	"dynamo-trt":    "trt",
	"dynamo-vllm":   "vllm",
	"llmd-vllm":     "vllm",
	"mooncake-atom": "atom",
	"mori-sglang":   "sglang",
	"sglang":        "sglang",
	"tilert":        "tilert",
	"trt":           "trt",
	"vllm":          "vllm",
}

// frameworkAliases are earlier names of frameworks. An alias and its canonical
// name are one configuration.
var frameworkAliases = map[string]string{
	"atom-disagg":   "mooncake-atom",
	"sglang-disagg": "mori-sglang",
	"trtllm":        "trt",
	"dynamo-trtllm": "dynamo-trt",
}

// precisions maps a precision to the one the publisher folds it into.
var precisions = map[string]string{
	"fp4": "fp4", "nvfp4": "fp4", "mxfp4": "fp4",
	"fp8": "fp8", "bf16": "bf16", "int4": "int4",
}

// specMethods are the speculative decoding methods.
var specMethods = words("none", "mtp", "draft_model")

// benchmarkTypes and offloadModes are the words of those keys.
var (
	benchmarkTypes = words("single_turn", "agentic_traces")
	offloadModes   = words("off", "on")
)

// models maps a model key to its name in the BLIS catalog, or to "" where the
// correspondence is not certain and the publisher's key is kept.
var models = map[string]string{
	"dsr1":          "",
	"dsv4":          "deepseek-v4-pro",
	"dsv41flash":    "",
	"gptoss120b":    "gpt-oss-120b",
	"llama70b":      "",
	"qwen3.5":       "qwen3.5-397b-a17b",
	"qwen3.8next":   "",
	"kimik2.5":      "kimi-k2.5",
	"kimik2.6":      "",
	"kimik2.7-code": "",
	"kimik3":        "kimi-k3",
	"minimaxm2.5":   "minimax-m2.5",
	"minimaxm2.7":   "minimax-m2.7",
	"minimaxm3":     "minimax-m3",
	"glm5":          "glm-5",
	"glm5.1":        "",
	"glm5.2":        "glm-5.2",
}

// modelPrefixes are values of an artifact's infmax_model_prefix that are no model key.
var modelPrefixes = map[string]string{
	"gptoss":   "gptoss120b",
	"dsv4pro":  "dsv4",
	"kimik2.7": "kimik2.7-code",
}

// modelPaths maps what an artifact calls its model, a Hugging Face path or the
// name of a local copy, in lower case and without its directories, to a model key.
var modelPaths = map[string]string{
	"deepseek-r1":                          "dsr1",
	"deepseek-r1-0528":                     "dsr1",
	"deepseek-r1-0528-fp4":                 "dsr1",
	"deepseek-r1-0528-fp4-v2":              "dsr1",
	"deepseek-r1-0528-nvfp4-v2":            "dsr1",
	"deepseek-r1-0528-mxfp4":               "dsr1",
	"deepseek-r1-0528-mxfp4-preview":       "dsr1",
	"deepseek-v4-pro":                      "dsv4",
	"deepseek-v4.1-flash":                  "dsv41flash",
	"gpt-oss-120b":                         "gptoss120b",
	"llama-3.3-70b-instruct-fp8":           "llama70b",
	"llama-3.3-70b-instruct-fp4":           "llama70b",
	"llama-3.3-70b-instruct-fp8-kv":        "llama70b",
	"llama-3.3-70b-instruct-mxfp4-preview": "llama70b",
	"qwen3.5-397b-a17b":                    "qwen3.5",
	"qwen3.5-397b-a17b-fp8":                "qwen3.5",
	"qwen3.8-flash-next-fp8":               "qwen3.8next",
	"qwen3.8-flash-next-nvfp4":             "qwen3.8next",
	"kimi-k2.5":                            "kimik2.5",
	"kimi-k2.6":                            "kimik2.6",
	"kimi-k2.7-code":                       "kimik2.7-code",
	"kimi-k2.7-code-mxfp4":                 "kimik2.7-code",
	"kimi-k3":                              "kimik3",
	"minimax-m2.5":                         "minimaxm2.5",
	"minimax-m2.7":                         "minimaxm2.7",
	"minimax-m3":                           "minimaxm3",
	"glm-5-fp8":                            "glm5",
	"glm-5.1-mxfp4":                        "glm5.1",
	"glm-5.2-fp8":                          "glm5.2",
}

// officialRepositories are the repositories whose workflow runs are the
// publisher's own; the second is the first before its renaming.
var officialRepositories = []string{"github.com/SemiAnalysisAI/InferenceX", "github.com/InferenceMAX/InferenceMAX"}

func words(list ...string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, w := range list {
		m[w] = true
	}
	return m
}

// CanonicalHardware returns the GPU key of a runner or GPU name: the text after
// the last colon, in lower case, cut at the first hyphen ("cluster:B200-nv" is b200).
func CanonicalHardware(raw string) (name string, known bool) {
	s := strings.ToLower(raw[strings.LastIndexByte(raw, ':')+1:])
	s, _, _ = strings.Cut(s, "-")
	if hardwareNames[s] {
		return s, true
	}
	return raw, false
}

// CanonicalFramework returns the framework's present name, and whether the name
// given implies that prefill and decode are disaggregated.
func CanonicalFramework(raw string) (name string, disagg, known bool) {
	s := strings.ToLower(raw)
	if alias, ok := frameworkAliases[s]; ok {
		disagg = strings.HasSuffix(s, "-disagg")
		s = alias
	}
	disagg = disagg || strings.HasPrefix(s, "mori-") // of every name
	if _, ok := frameworks[s]; !ok {
		return raw, disagg, false
	}
	return s, disagg, true
}

// Engine returns the serving engine of a canonical framework: sglang for
// dynamo-sglang. "" for a framework that is not known.
func Engine(framework string) string { return frameworks[framework] }

// CanonicalPrecision folds nvfp4 and mxfp4 into fp4, as the publisher does.
func CanonicalPrecision(raw string) (name string, known bool) {
	if s, ok := precisions[strings.ToLower(raw)]; ok {
		return s, true
	}
	return raw, false
}

// CanonicalSpecMethod returns the speculative decoding method; "" is none.
func CanonicalSpecMethod(raw string) (name string, known bool) {
	s := strings.ToLower(raw)
	if s == "" {
		return "none", true
	}
	if specMethods[s] {
		return s, true
	}
	return raw, false
}

// CanonicalModel returns the model key in lower case.
func CanonicalModel(raw string) (key string, known bool) {
	s := strings.ToLower(raw)
	if _, ok := models[s]; ok {
		return s, true
	}
	return raw, false
}

// ModelName returns the BLIS catalog's name of a model key where it is certain,
// else the key itself.
func ModelName(key string) string {
	if name := models[key]; name != "" {
		return name
	}
	return key
}

// artifactModel returns the model key of a raw artifact: by its
// infmax_model_prefix, which may carry a precision ("kimik2.7-fp4"), else by its
// model's path.
func artifactModel(prefix, path string) (key string, known bool) {
	if p := strings.ToLower(prefix); p != "" {
		for {
			if alias, ok := modelPrefixes[p]; ok {
				p = alias
			}
			if _, ok := models[p]; ok {
				return p, true
			}
			cut := cutPrecision(p)
			if cut == p {
				break
			}
			p = cut
		}
	}
	if key, ok := CanonicalModel(path); ok {
		return key, true
	}
	base := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	if key, ok := modelPaths[base]; ok {
		return key, true
	}
	if path != "" {
		return path, false
	}
	return prefix, false
}

// cutPrecision cuts a model prefix before the first precision in it.
func cutPrecision(prefix string) string {
	for i := 0; i < len(prefix); i++ {
		if prefix[i] != '-' {
			continue
		}
		word, _, _ := strings.Cut(prefix[i+1:], "-")
		if _, ok := precisions[word]; ok {
			return prefix[:i]
		}
	}
	return prefix
}

// Official tells whether a run's address lies in one of the publisher's repositories.
func Official(runURL string) bool {
	s, ok := strings.CutPrefix(runURL, "https://")
	if !ok {
		return false
	}
	for _, repo := range officialRepositories {
		if len(s) > len(repo) && strings.EqualFold(s[:len(repo)], repo) && s[len(repo)] == '/' {
			return true
		}
	}
	return false
}

// runOf returns the GitHub run id and attempt that a run's address names:
// .../actions/runs/<id>[/attempts/<n>]. An address without an attempt is that of
// the first. Zeros where it names no run.
func runOf(runURL string) (id, attempt int64) {
	const runs, attempts = "/actions/runs/", "/attempts/"
	i := strings.Index(runURL, runs)
	if i < 0 {
		return 0, 0
	}
	id, rest := leadingInt(runURL[i+len(runs):])
	if id == 0 {
		return 0, 0
	}
	if s, ok := strings.CutPrefix(rest, attempts); ok {
		attempt, rest = leadingInt(s)
		if attempt == 0 {
			return 0, 0
		}
	} else {
		attempt = 1
	}
	if rest != "" && !strings.ContainsRune("/?#", rune(rest[0])) {
		return 0, 0
	}
	return id, attempt
}

// leadingInt splits s after its leading decimal digits; 0 where there are none or too many.
func leadingInt(s string) (n int64, rest string) {
	i := 0
	for i < len(s) && s[i]-'0' < 10 {
		if i == 18 {
			return 0, s
		}
		n = n*10 + int64(s[i]-'0')
		i++
	}
	return n, s[i:]
}

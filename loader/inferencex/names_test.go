package inferencex

import "testing"

func TestCanonicalHardware(t *testing.T) {
	for raw, want := range map[string]string{
		"h100": "h100", "H200": "h200", "b200-trt": "b200", "cluster:b300-nv": "b300", "gb200": "gb200", "gb300": "gb300", "vr200": "vr200",
		"mi300x": "mi300x", "mi325x-amds": "mi325x", "MI355X": "mi355x", "rtx6000pro": "rtx6000pro", "a:b:h100-dgxc-slurm": "h100",
	} {
		if got, known := CanonicalHardware(raw); got != want || !known {
			t.Errorf("%s: %s %t", raw, got, known)
		}
	}
	for _, raw := range []string{"h200_sxm", "TPUv7", "", "cluster:New-1"} {
		if got, known := CanonicalHardware(raw); got != raw || known {
			t.Errorf("%s: %s %t", raw, got, known)
		}
	}
}

func TestCanonicalFrameworkAndEngine(t *testing.T) {
	for raw, want := range map[string]struct {
		name, engine string
		disagg       bool
	}{
		"atom": {"atom", "atom", false}, "dynamo-sglang": {"dynamo-sglang", "sglang", false}, "dynamo-trt": {"dynamo-trt", "trt", false},
		"dynamo-vllm": {"dynamo-vllm", "vllm", false}, "llmd-vllm": {"llmd-vllm", "vllm", false}, "mooncake-atom": {"mooncake-atom", "atom", false},
		"mori-sglang": {"mori-sglang", "sglang", true}, "SGLang": {"sglang", "sglang", false}, "tilert": {"tilert", "tilert", false},
		"trt": {"trt", "trt", false}, "vllm": {"vllm", "vllm", false},
		"atom-disagg": {"mooncake-atom", "atom", true}, "sglang-disagg": {"mori-sglang", "sglang", true},
		"trtllm": {"trt", "trt", false}, "dynamo-trtllm": {"dynamo-trt", "trt", false},
	} {
		name, disagg, known := CanonicalFramework(raw)
		if name != want.name || disagg != want.disagg || !known || Engine(name) != want.engine {
			t.Errorf("%s: %s %t %t, engine %s", raw, name, disagg, known, Engine(name))
		}
	}
	if name, disagg, known := CanonicalFramework("X-disagg"); name != "X-disagg" || disagg || known || Engine(name) != "" {
		t.Errorf("unknown framework: %s %t %t", name, disagg, known)
	}
}

func TestEveryMoriIsDisaggregated(t *testing.T) {
	if name, disagg, known := CanonicalFramework("mori-new"); name != "mori-new" || !disagg || known {
		t.Errorf("%s %t %t", name, disagg, known)
	}
}

func TestCanonicalWords(t *testing.T) {
	for raw, want := range map[string]string{"fp4": "fp4", "NVFP4": "fp4", "mxfp4": "fp4", "FP8": "fp8", "bf16": "bf16", "int4": "int4"} {
		if got, known := CanonicalPrecision(raw); got != want || !known {
			t.Errorf("%s: %s", raw, got)
		}
	}
	for raw, want := range map[string]string{"": "none", "none": "none", "MTP": "mtp", "draft_model": "draft_model"} {
		if got, known := CanonicalSpecMethod(raw); got != want || !known {
			t.Errorf("%s: %s", raw, got)
		}
	}
	if _, known := CanonicalSpecMethod("eagle"); known {
		t.Error("eagle is known")
	}
}

func TestModelName(t *testing.T) {
	for key, want := range map[string]string{
		"gptoss120b": "gpt-oss-120b", "kimik2.5": "kimi-k2.5", "kimik3": "kimi-k3", "minimaxm2.5": "minimax-m2.5", "minimaxm2.7": "minimax-m2.7",
		"minimaxm3": "minimax-m3", "glm5": "glm-5", "glm5.2": "glm-5.2", "qwen3.5": "qwen3.5-397b-a17b", "dsv4": "deepseek-v4-pro",
		"dsr1": "dsr1", "dsv41flash": "dsv41flash", "llama70b": "llama70b", "qwen3.8next": "qwen3.8next", "kimik2.6": "kimik2.6",
		"kimik2.7-code": "kimik2.7-code", "glm5.1": "glm5.1", "else": "else",
	} {
		if got := ModelName(key); got != want {
			t.Errorf("%s: %s", key, got)
		}
		if _, known := CanonicalModel(key); known == (key == "else") {
			t.Errorf("%s: known %t", key, known)
		}
	}
	for path, key := range modelPaths {
		if _, known := models[key]; !known {
			t.Errorf("%s leads to %s, which is no model", path, key)
		}
	}
}

func TestEngineVersion(t *testing.T) {
	for image, want := range map[string]string{
		"vllm/vllm-openai:v0.10.2":                                       "0.10.2",
		"lmsysorg/sglang:v0.5.12-rocm700-mi35x":                          "0.5.12",
		"lmsysorg/sglang:v0.5.8.post1-cu130-runtime":                     "0.5.8.post1",
		"nvcr.io/nvidia/tensorrt-llm/release:1.1.0rc2.post2":             "1.1.0rc2.post2",
		"nvcr.io#nvidia/tensorrt-llm/release:1.2.0rc6":                   "1.2.0rc6",
		"rocm/atom:rocm7.1.1-ubuntu24.04-pytorch2.9-atom0.1.1-MI350x":    "0.1.1",
		"rocm/sgl-dev:sglang-0.5.9-rocm720-mi35x-mori-0227-3":            "0.5.9",
		"rocm/vllm:rocm6.4.1_vllm_0.9.1_20250702":                        "0.9.1",
		"vllm/vllm-openai:v0.20.1@sha256:0123456789ab":                   "0.20.1",
		"registry:5000/vllm:v0.9.0":                                      "0.9.0",
		"vllm/vllm-openai:nightly-0123abcd":                              "",
		"lmsysorg/sglang:nightly-dev-cu13-20990101-01234567@sha256:0123": "",
		"vllm/vllm-openai:latest":                                        "",
		"vllm/vllm-openai@sha256:0123456789abcdef":                       "",
		"registry:5000/vllm":                                             "",
		"vllm/vllm-openai":                                               "",
		"rocm/7.0:rocm7.0_ubuntu_22.04":                                  "",
		"nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1.post2":       "", // Dynamo's release
		"": "",
	} {
		if got := EngineVersion(image); got != want {
			t.Errorf("%s: %q, want %q", image, got, want)
		}
	}
}

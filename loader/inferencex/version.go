package inferencex

import (
	"regexp"
	"strings"
)

// release matches a release number: 0.10.2, 0.5.8.post1, 1.1.0rc2.post2.
const release = `(\d+\.\d+(?:\.\d+)*(?:(?:rc|a|b)\d+)?(?:\.(?:post|dev)\d+)*)`

var (
	// leadingRelease is a tag that begins with the release: v0.5.12-rocm700-mi35x.
	leadingRelease = regexp.MustCompile(`^v?` + release + `(?:[-_+]|$)`)
	// namedRelease is a release behind the engine's name: ubuntu24.04-pytorch2.9-atom0.1.1.
	namedRelease = regexp.MustCompile(`(?:^|[-_])(?:atom|sglang|vllm|trtllm|tensorrt-llm)[-_]?v?` + release + `(?:[-_+]|$)`)
)

// otherProductImages are images whose tag is the release of the product around
// the engine, not the engine's: it states no engine version.
var otherProductImages = []string{"nvidia/ai-dynamo/"}

// EngineVersion returns the release of the serving engine that an image's tag
// states, without a leading v; "" where it states none: a nightly, latest, a
// digest alone, a tag of another product. The publisher's artifacts write # for / in an image.
func EngineVersion(image string) string {
	image = strings.ReplaceAll(image, "#", "/")
	image, _, _ = strings.Cut(image, "@")
	for _, product := range otherProductImages {
		if strings.Contains(image, product) {
			return ""
		}
	}
	_, tag, ok := strings.Cut(image[strings.LastIndexByte(image, '/')+1:], ":")
	if !ok || strings.Contains(tag, "nightly") || strings.Contains(tag, "latest") {
		return ""
	}
	if m := namedRelease.FindStringSubmatch(tag); m != nil {
		return m[1]
	}
	if m := leadingRelease.FindStringSubmatch(tag); m != nil {
		return m[1]
	}
	return ""
}

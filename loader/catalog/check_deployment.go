package catalog

import (
	"fmt"
	"math/big"

	"github.com/inference-sim/blis-warehouse/store/record"
)

func (c *checker) cluster(b *block, v *record.Cluster) {
	if b.stated("nodes") && v.Nodes > 1 {
		c.need(b, "fabric", " with more than one node")
	}
	if b.stated("gpus_per_rack", "gpus_per_node") && *v.GPUsPerRack%v.GPUsPerNode != 0 {
		c.problems.refuse(b.at("gpus_per_rack"), RuleRackGPUs, "%d is not a multiple of gpus_per_node, %d", *v.GPUsPerRack, v.GPUsPerNode)
	}
	seen := map[string]bool{}
	for i, name := range v.Storage {
		if name != "" && seen[name] {
			c.problems.refuse(b.element("storage", i), RuleDuplicate, "%s stands twice", shown(name))
		}
		seen[name] = true
	}
}

// deployment checks a deployment on its own.
func (c *checker) deployment(b *block, v *record.Deployment) {
	if !b.stated("pools") {
		return
	}
	roles, known := map[string]bool{}, true
	for i, el := range b.list("pools") {
		p := el.block
		if p == nil {
			known = false
			continue
		}
		known = known && p.stated("role")
		roles[v.Pools[i].Role] = true
		if parallel := p.child("parallel"); parallel != nil {
			c.parallel(parallel, &v.Pools[i].Parallel)
		}
		if engine := p.child("engine"); engine != nil {
			c.engine(engine, &v.Pools[i])
		}
	}
	if known {
		c.roles(b, roles)
	}
	if roles["prefill"] {
		c.need(b, "pd_transfer", " with a prefill pool")
	}
	if offload := b.child("offload"); offload != nil {
		seen := map[string]bool{}
		for i, el := range offload.list("tiers") {
			t := el.block
			if t == nil || !t.stated("tier") {
				continue
			}
			name := v.Offload.Tiers[i].Tier
			if seen[name] {
				c.problems.refuse(t.at("tier"), RuleDuplicate, "the tier %s stands twice", shown(name))
				t.refuse("tier")
			}
			seen[name] = true
		}
	}
}

func (c *checker) roles(b *block, roles map[string]bool) {
	at := b.at("pools")
	switch {
	case roles["colocated"] && (roles["prefill"] || roles["decode"]):
		c.problems.refuse(at, RulePoolRoles, "a colocated pool beside prefill or decode pools; colocated pools stand alone")
	case roles["prefill"] && !roles["decode"]:
		c.problems.refuse(at, RulePoolRoles, "a prefill pool without a decode pool")
	case roles["decode"] && !roles["prefill"]:
		c.problems.refuse(at, RulePoolRoles, "a decode pool without a prefill pool")
	}
}

// parallel checks the layout of a pool. The width of expert parallelism is
// derived: tp × max(pcp, 1) × dp.
func (c *checker) parallel(b *block, v *record.Parallel) {
	if b.stated("dp_local", "dp") && *v.DPLocal > v.DP {
		c.problems.refuse(b.at("dp_local"), RuleDPLocal, "%d is more than dp, %d", *v.DPLocal, v.DP)
		b.refuse("dp_local")
	}
	if b.refused("pcp", "dcp") {
		return
	}
	pcp, dcp := or(v.PCP, 0), or(v.DCP, 0)
	if pcp < 0 || dcp < 0 {
		c.problems.refuse(b.spot, RuleContextWidth, "pcp %d, dcp %d: a width is 0 or more, 0 or 1 for off", pcp, dcp)
		b.refuse("pcp")
		return
	}
	if !b.stated("tp") {
		return
	}
	if v.EnableExpertParallel != nil && *v.EnableExpertParallel && b.stated("dp") && v.TP == 1 && pcp <= 1 && v.DP == 1 {
		c.problems.warn(b.spot, RuleExpertParallel, "expert parallelism is enabled, but tp, pcp and dp give it a width of 1")
	}
	if allowed := dcpAllowed(v.TP, pcp, dcp); allowed != "" {
		c.problems.refuse(b.at("dcp"), RuleDCPWidth, "%d is not allowed: %s", dcp, allowed)
	}
}

// dcpAllowed returns what dcp may be, or "" where it is.
func dcpAllowed(tp, pcp, dcp int64) string {
	if dcp <= 1 {
		return ""
	}
	if pcp <= 1 {
		if tp%dcp == 0 {
			return ""
		}
		return fmt.Sprintf("0 or a divisor of tp, %d", tp)
	}
	both := product(tp, pcp)
	if dcp == pcp || both.Cmp(big.NewInt(dcp)) == 0 {
		return ""
	}
	return fmt.Sprintf("0, 1, pcp (%d) or tp × pcp (%s)", pcp, both)
}

func (c *checker) engine(b *block, v *record.Pool) {
	backend, _ := setting[string](v, "allreduce_backend")
	if disabled, known := setting[bool](v, "disable_custom_all_reduce"); known {
		switch {
		case disabled && backend == "custom":
			c.problems.refuse(b.at("allreduce_backend"), RuleAllreduce, "custom is not allowed while disable_custom_all_reduce is true")
		case !disabled && backend == "nccl":
			c.problems.warn(b.spot, RuleAllreduceNCCL, "allreduce_backend is nccl, but disable_custom_all_reduce is false")
		}
	}
	if on, _ := setting[bool](v, "dbo.enable_dbo"); on {
		decode, _ := setting[int64](v, "dbo.dbo_decode_token_threshold")
		prefill, _ := setting[int64](v, "dbo.dbo_prefill_token_threshold")
		if decode < 0 || prefill < 0 {
			c.problems.refuse(b.at("dbo"), RuleThreshold, "a negative threshold; thresholds are 0 or more while dbo is enabled")
		}
	}
	if on, _ := setting[bool](v, "eplb.enable_eplb"); on {
		if n, _ := setting[int64](v, "eplb.num_redundant_experts"); n < 0 {
			c.problems.refuse(b.child("eplb").at("num_redundant_experts"), RuleRange, "%d is not allowed: at least 0 while eplb is enabled", n)
		}
	}
}

// fit checks a deployment against its cluster.
func (c *checker) fit(root *block, v *record.Run) {
	cluster, deployment := root.child("cluster"), root.child("deployment")
	if !deployment.stated("pools") {
		return
	}
	c.poolNodes(cluster, deployment, v)
	for i, el := range deployment.list("pools") {
		p := el.block
		if parallel := p.child("parallel"); parallel != nil && cluster.stated("gpus_per_node") {
			c.pool(p, parallel, &v.Deployment.Pools[i], v.Cluster.GPUsPerNode)
		}
	}
	if !cluster.stated("storage") || len(v.Cluster.Storage) == 0 || v.Deployment.Offload == nil {
		return
	}
	for i, el := range deployment.child("offload").list("tiers") {
		t := el.block
		if t == nil || !t.stated("tier") {
			continue
		}
		if name := v.Deployment.Offload.Tiers[i].Tier; !contains(v.Cluster.Storage, name) {
			c.problems.refuse(t.at("tier"), RuleOffloadTier, "%s is not in cluster.storage", shown(name))
		}
	}
}

// poolNodes checks that the pools lay out the whole cluster.
func (c *checker) poolNodes(cluster, deployment *block, v *record.Run) {
	total := new(big.Int)
	for i, el := range deployment.list("pools") {
		p := el.block
		if p == nil || !p.stated("nodes") {
			return
		}
		total.Add(total, big.NewInt(v.Deployment.Pools[i].Nodes))
	}
	if cluster.stated("nodes") && total.Cmp(big.NewInt(v.Cluster.Nodes)) != 0 {
		c.problems.refuse(deployment.at("pools"), RulePoolNodes, "the pools have %s nodes, the cluster %d; a deployment lays out the whole cluster", total, v.Cluster.Nodes)
	}
}

// pool checks the ranks of a pool against its nodes of gpus GPUs.
func (c *checker) pool(p, b *block, v *record.Pool, gpus int64) {
	local := or(v.Parallel.DPLocal, 0)
	if b.stated("dp_local") && local > 0 && gpus%local != 0 {
		c.problems.refuse(b.at("dp_local"), RuleDPLocal, "%d does not divide gpus_per_node, %d", local, gpus)
		b.refuse("dp_local")
	}
	if !p.stated("nodes") || !b.stated("tp", "pp", "dp") || b.refused("pcp") {
		return
	}
	if b.refused("dp_local") {
		local = 0
	}
	r := ranks{TP: v.Parallel.TP, PP: v.Parallel.PP, DP: v.Parallel.DP, PCP: or(v.Parallel.PCP, 0), DPLocal: local}
	switch r.fit(v.Nodes, gpus) {
	case tooManyRanks:
		c.problems.refuse(b.spot, RuleRankFit, "%s ranks do not fit %s GPUs", new(big.Int).Mul(r.world(), big.NewInt(r.DP)), product(v.Nodes, gpus))
	case localTooWide:
		c.problems.refuse(b.at("dp_local"), RuleRankFit, "%d replicas of %s ranks leave no room on a node of %d GPUs", local, r.world(), gpus)
	case noSplit:
		c.problems.refuse(b.spot, RuleRankFit, "no even split of %s ranks over the nodes leaves room for %d replicas on each", r.world(), local)
	case undecided:
		c.problems.warn(b.spot, RuleRankFitSearch, "no placement of %s ranks was found within the bound of the search", r.world())
	}
}

// or returns what x points to, or a default.
func or(x *int64, unset int64) int64 {
	if x == nil {
		return unset
	}
	return *x
}

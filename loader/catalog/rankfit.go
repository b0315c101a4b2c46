package catalog

import "math/big"

// ranks is the layout of a pool: the widths that make up its ranks. A DPLocal
// of 0 is unset. dcp and expert parallelism add no ranks.
type ranks struct{ TP, PP, DP, PCP, DPLocal int64 }

// placement is the outcome of fitting ranks to nodes.
type placement int

const (
	fits         placement = iota
	tooManyRanks           // world × dp exceeds the pool's GPUs
	localTooWide           // the replicas of one node start beyond its last GPU
	noSplit                // no divisor of world spreads a replica over nodes
	undecided              // the search was cut short
)

// searchBound is how many divisors the search for a split tries.
const searchBound = 1 << 20

// world is the number of ranks of one replica, pp × tp × max(pcp, 1).
func (r ranks) world() *big.Int { return product(r.PP, r.TP, max(r.PCP, 1)) }

// fit places the ranks of a pool on its nodes of gpus GPUs each, after the
// embedded blocks, Deployment against its cluster, rule 4. Widths, nodes and
// gpus are at least 1. Products are exact.
func (r ranks) fit(nodes, gpus int64) placement {
	world := r.world()
	all := new(big.Int).Mul(world, big.NewInt(r.DP))
	if all.Cmp(product(nodes, gpus)) > 0 {
		return tooManyRanks
	}
	if r.DPLocal < 1 || r.DPLocal > r.DP {
		return fits
	}
	last := new(big.Int).Mul(big.NewInt(r.DPLocal-1), world)
	if last.Cmp(big.NewInt(gpus)) >= 0 {
		return localTooWide
	}
	room := gpus - last.Int64()
	most := max(1, nodes/(r.DP/r.DPLocal))
	least := new(big.Int).Add(world, big.NewInt(room-1))
	least.Div(least, big.NewInt(room)) // ceil(world / room)
	if world.IsInt64() {
		most = min(most, world.Int64())
	}
	if least.Cmp(big.NewInt(most)) > 0 {
		return noSplit
	}
	if !world.IsInt64() {
		return undecided
	}
	return split(world.Int64(), least.Int64(), most)
}

// split looks for a divisor of world from least to most.
func split(world, least, most int64) placement {
	for k := least; k <= most; k++ {
		if world%k == 0 {
			return fits
		}
		if k-least >= searchBound {
			return undecided
		}
	}
	return noSplit
}

func product(factors ...int64) *big.Int {
	p := big.NewInt(1)
	for _, f := range factors {
		p.Mul(p, big.NewInt(f))
	}
	return p
}

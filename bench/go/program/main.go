// Registers N resources of a provider that does nothing. SHAPE is their dependency graph.
package main

import (
	"fmt"
	"math/rand"
	"os"
	"strconv"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// layerWidth is the number of resources of one layer.
const layerWidth = 100

func main() {
	count, err := strconv.Atoi(os.Getenv("N"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "N must be the number of resources")
		os.Exit(1)
	}
	pulumi.Run(func(ctx *pulumi.Context) error {
		random := rand.New(rand.NewSource(1))
		items := make([]pulumi.Resource, 0, count)
		for n := 0; n < count; n++ {
			item := &pulumi.CustomResourceState{}
			inputs := pulumi.Map{"n": pulumi.Int(n), "text": pulumi.String("of the benchmark")}
			dependsOn := pulumi.DependsOn(selectDependencies(items, random))
			if err := ctx.RegisterResource("null:index:Item", fmt.Sprintf("item-%d", n), inputs, item, dependsOn); err != nil {
				return err
			}
			items = append(items, item)
		}
		return nil
	})
}

// selectDependencies returns the earlier resources on which the next one depends.
func selectDependencies(items []pulumi.Resource, random *rand.Rand) []pulumi.Resource {
	count := len(items)
	if count == 0 {
		return nil
	}
	switch os.Getenv("SHAPE") {
	case "chain":
		return items[count-1:]
	case "hub":
		return items[:1]
	case "layers":
		if count < layerWidth {
			return nil
		}
		return items[count-layerWidth : count-layerWidth+1]
	case "random":
		return []pulumi.Resource{items[random.Intn(count)], items[random.Intn(count)]}
	}
	return nil
}

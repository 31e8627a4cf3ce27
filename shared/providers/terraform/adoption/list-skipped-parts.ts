import type { SkippedPart } from './adopt-instances.ts'
import type { TerraformState } from './read-tfstate.ts'

/** Lists the parts of a Terraform state that are never adopted, with the reasons. */
export function listSkippedParts({
  instances,
  outputs,
  checks,
}: TerraformState): readonly SkippedPart[] {
  const dataAddresses = new Set(
    instances.filter(({ mode }) => mode === 'data').map(({ address }) => address),
  )
  return [
    ...[...dataAddresses].map(address => ({
      kind: 'data source' as const,
      address,
      reason: 'the program reads data sources itself, by functions of the package',
    })),
    ...outputs.map(name => ({
      kind: 'output' as const,
      address: `output.${name}`,
      reason: 'the program exports the outputs of the stack',
    })),
    ...checks.map(address => ({
      kind: 'check' as const,
      address,
      reason: 'check blocks have no counterpart in a stack',
    })),
  ]
}

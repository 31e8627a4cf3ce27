import { providerUrnOf } from '../../../names/provider-reference.ts'
import type { Urn } from '../../../names/urn.ts'
import { listDependencies } from '../../graph/closures.ts'
import type { Step } from '../../step.ts'
import type { DecisionInput } from '../context.ts'
import { toDecided, type Diagnostic, failDeployment, type Result } from '../stage.ts'

/**
 * Refuses steps that depend on a resource which is not created because it is no target (Pulumi's
 * diagnostic 2013). A deployment ends with the first error. A preview continues, and reports each
 * missing resource once. Unlike Pulumi, also refuses steps that depend on a new resource which
 * `--exclude` leaves out. Pulumi does not refuse such steps, and writes a state with missing
 * dependencies. Source: docs/spec/step-generation.md#step-validation.
 */
export function requireCreatedDependencies(
  { sets, scope, isPreview }: Pick<DecisionInput, 'sets' | 'scope' | 'isPreview'>,
  steps: readonly Step[],
): Result<void> {
  if (sets.uncreatedUrns.size === 0) return toDecided(undefined)
  // Targets take precedence over exclusions. The doubled `was` is in Pulumi's message too.
  const reason = scope.targets.isConstrained
    ? 'which was was not specified in --target list.'
    : 'which is new and left out by --exclude.'
  const missingUrns = new Set<Urn>()
  const diagnostics: Diagnostic[] = []
  for (const { urn, next } of steps) {
    if (next === undefined) continue
    const provider = providerUrnOf(next.provider)
    const dependencyUrns = listDependencies(next).map(dependency => dependency.urn)
    for (const neededUrn of provider === undefined
      ? dependencyUrns
      : [...dependencyUrns, provider]) {
      if (!sets.uncreatedUrns.has(neededUrn) || missingUrns.has(neededUrn)) continue
      const message = `Resource '${urn}' depends on '${neededUrn}' ${reason}`
      if (!isPreview) return failDeployment(message, urn)
      missingUrns.add(neededUrn)
      diagnostics.push({ message, urn })
    }
  }
  return { ...toDecided(undefined, { removed: { uncreatedUrns: [...missingUrns] } }), diagnostics }
}

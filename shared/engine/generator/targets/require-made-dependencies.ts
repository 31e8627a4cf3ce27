import { providerUrnOf } from '../../../names/provider-reference.ts'
import type { Urn } from '../../../names/urn.ts'
import { listDependencies } from '../../graph/closures.ts'
import type { Step } from '../../step.ts'
import type { DecisionInput } from '../context.ts'
import { decided, type Diagnostic, failDeployment, type Result } from '../stage.ts'

/**
 * Refuses steps that need a resource which is not created because it is no target (error 2013). A
 * deployment ends with the first error; a preview continues and names each missing resource once.
 * Excluded resources are refused as well, where Pulumi writes a state whose dependencies do not
 * exist. Source: docs/spec/step-generation.md#step-validation.
 */
export function requireMadeDependencies(
  { sets, scope, preview }: Pick<DecisionInput, 'sets' | 'scope' | 'preview'>,
  steps: readonly Step[],
): Result<void> {
  if (sets.skipped.size === 0) return decided(undefined)
  const isByTarget = scope.targets.isConstrained || scope.replaces.isConstrained
  const reason = isByTarget
    ? 'which was was not specified in --target list.'
    : 'which is new and left out by --exclude.'
  const missing = new Set<Urn>()
  const diagnostics: Diagnostic[] = []
  for (const { urn, next } of steps) {
    if (next === undefined) continue
    const provider = providerUrnOf(next.provider)
    const named = listDependencies(next).map(dependency => dependency.urn)
    for (const needed of provider === undefined ? named : [...named, provider]) {
      if (!sets.skipped.has(needed) || missing.has(needed)) continue
      const message = `Resource '${urn}' depends on '${needed}' ${reason}`
      if (!preview) return failDeployment(message, urn)
      missing.add(needed)
      diagnostics.push({ message, urn })
    }
  }
  return { ...decided(undefined, { removed: { skipped: [...missing] } }), diagnostics }
}

import { collectProtected } from '../graph/closures.ts'
import type { GeneratorContext } from '../generator/context.ts'

/**
 * Reports how many resources stay because they or their dependents are protected. Returns true when
 * these are all resources: then nothing is deleted and nothing else reported. Source: Pulumi's
 * `destroy --exclude-protected`.
 */
export function areAllProtected({ input, ports }: GeneratorContext): boolean {
  const { scope, base } = input
  const { emitter } = ports
  if (!scope.excludeProtected) return false
  const kept = collectProtected(base.graph)
  const { resources } = base.snapshot
  const count = resources.filter(({ urn }) => kept.has(urn)).length
  if (count === 0) return false
  const areAll = count === resources.length
  const none = areAll ? 'There are no unprotected resources to destroy. ' : ''
  emitter.report(
    'info',
    `${none}Keeping ${count} protected resources, including their dependencies.\n`,
  )
  return areAll
}

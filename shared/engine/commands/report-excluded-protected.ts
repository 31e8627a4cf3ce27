import { collectProtected } from '../graph/closures.ts'
import type { GeneratorContext } from '../generator/context.ts'

/**
 * Reports how many resources `--exclude-protected` keeps: they or their dependents are protected.
 * Returns true when it keeps all resources of a stack that is not empty. Source: Pulumi's
 * `destroy --exclude-protected`.
 */
export function reportExcludedProtected({ input, ports }: GeneratorContext): boolean {
  const { scope, base } = input
  const { emitter } = ports
  if (!scope.excludeProtected) return false
  const protectedUrns = collectProtected(base.graph)
  const { resources } = base.snapshot
  const count = resources.filter(({ urn }) => protectedUrns.has(urn)).length
  if (count === 0) return false
  const isEverythingProtected = count === resources.length
  const prefix = isEverythingProtected ? 'There are no unprotected resources to destroy. ' : ''
  emitter.report(
    'info',
    `${prefix}Keeping ${count} protected resources, including their dependencies.\n`,
  )
  return isEverythingProtected
}

import { collectProtected } from '../graph/closures.ts'
import type { GeneratorContext } from '../generator/context.ts'

/**
 * Reports the number of resources that `--exclude-protected` keeps: the protected ones and their
 * dependencies. Returns true when the option keeps all resources of a stack that is not empty.
 * Source: `getProtectedExcludes` in pkg/cmd/pulumi/operations/destroy.go of Pulumi 3.274.1.
 */
export function reportExcludedProtected({ input, ports }: GeneratorContext): boolean {
  const { scope, base } = input
  const { emitter } = ports
  if (!scope.excludeProtected) return false
  const protectedUrns = collectProtected(base.graph)
  const { resources } = base.snapshot
  const count = resources.filter(({ urn }) => protectedUrns.has(urn)).length
  if (count === 0) return false
  const areAllKept = count === resources.length
  const prefix = areAllKept ? 'There are no unprotected resources to destroy. ' : ''
  emitter.report(
    'info',
    `${prefix}Keeping ${count} protected resources, including their dependencies.\n`,
  )
  return areAllKept
}

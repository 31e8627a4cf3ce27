import { collectProtected } from '../graph/closures.ts'
import type { GeneratorContext } from '../generator/context.ts'

/**
 * Says how many resources stay because they are protected or others that are stand on them. True
 * when these are all: nothing is then deleted, and nothing else told. Source: Pulumi's `destroy
 * --exclude-protected`.
 */
export function areAllProtected({ scope, base, emitter }: GeneratorContext): boolean {
  if (!scope.excludeProtected) return false
  const kept = collectProtected(base.graph)
  const { resources } = base.snapshot
  const count = resources.filter(({ urn }) => kept.has(urn)).length
  if (count === 0) return false
  const areAll = count === resources.length
  const none = areAll ? 'There are no unprotected resources to destroy. ' : ''
  emitter.report('info', `${none}${count} protected resources stay, with what they stand on.\n`)
  return areAll
}

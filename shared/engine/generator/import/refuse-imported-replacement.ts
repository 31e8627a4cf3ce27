import type { ResourceState } from '../../../state/resource.ts'
import { isSecret, type PropertyMap } from '../../../values/value.ts'
import { redactMap } from '../../../values/walk.ts'
import type { Candidate } from '../registration/candidate.ts'
import { bail, type GeneratorContext } from '../context.ts'
import type { ChangeVerdict } from '../changes/decide-change.ts'

/**
 * Says that a replacement would have another id than the one the program names: an error, of which
 * a preview only warns. Source: docs/spec/step-generation.md#replacement.
 */
export function refuseImportedReplacement(
  ctx: GeneratorContext,
  { claim, next }: Pick<Candidate, 'claim' | 'next'>,
  {
    old,
    verdict,
  }: { readonly old: ResourceState; readonly verdict: ChangeVerdict & { kind: 'replace' } },
): void {
  const message = describeRefusal(verdict.reason.keys, old.inputs, next.inputs)
  if (!ctx.preview) bail(ctx, message, claim.urn)
  ctx.emitter.report('warning', message, claim.urn)
}

/** The words, with the differences that replace it; secrets are not shown. */
function describeRefusal(keys: readonly string[], olds: PropertyMap, news: PropertyMap): string {
  const [before, after] = [redactMap(olds), redactMap(news)]
  const formatProperty = (map: PropertyMap, redacted: typeof before, key: string): string =>
    isSecret(map.get(key)) ? '[secret]' : (JSON.stringify(redacted[key]) ?? 'nothing')
  const differences = keys.map(
    key => `${key}: ${formatProperty(olds, before, key)} => ${formatProperty(news, after, key)}`,
  )
  const message =
    'previously-imported resources that still specify an ID may not be replaced; ' +
    'please remove the `import` declaration from your program;'
  return [message, ...differences].join('\n')
}

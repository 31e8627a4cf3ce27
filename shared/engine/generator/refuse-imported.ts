import type { ResourceState } from '../../state/resource.ts'
import { isSecret, type PropertyMap } from '../../values/value.ts'
import { redactMap } from '../../values/walk.ts'
import type { Candidate } from './candidate.ts'
import { bail, type GeneratorContext } from './context.ts'
import type { Verdict } from './verdict.ts'

/**
 * Says that a replacement would have another id than the one the program names: an error, of which
 * a preview only warns. Source: docs/spec/step-generation.md#replacement.
 */
export function refuseImported(
  ctx: GeneratorContext,
  { claim, next }: Pick<Candidate, 'claim' | 'next'>,
  {
    old,
    verdict,
  }: { readonly old: ResourceState; readonly verdict: Verdict & { kind: 'replace' } },
): void {
  const message = refusalOf(verdict.reason.keys, old.inputs, next.inputs)
  if (!ctx.preview) bail(ctx, message, claim.urn)
  ctx.emitter.diagnostic('warning', message, claim.urn)
}

/** The words, with the differences that replace it; secrets are not shown. */
function refusalOf(keys: readonly string[], olds: PropertyMap, news: PropertyMap): string {
  const [before, after] = [redactMap(olds), redactMap(news)]
  const told = (map: PropertyMap, redacted: typeof before, key: string): string =>
    isSecret(map.get(key)) ? '[secret]' : (JSON.stringify(redacted[key]) ?? 'nothing')
  const differences = keys.map(
    key => `${key}: ${told(olds, before, key)} => ${told(news, after, key)}`,
  )
  const said =
    'previously-imported resources that still specify an ID may not be replaced; ' +
    'please remove the `import` declaration from your program;'
  return [said, ...differences].join('\n')
}

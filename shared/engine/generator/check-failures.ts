import type { Urn } from '../../names/urn.ts'
import type { CheckFailure } from '../../providers/provider.ts'
import { scrubber, secretTexts } from '../../values/scrub.ts'
import { redactMap } from '../../values/walk.ts'
import { isSecret, type PropertyMap } from '../../values/value.ts'
import type { StepEmitter } from '../events/step-emitter.ts'

/** Tells each failed check as one error. Source: `engine.md` 10, codes 2002 and 2003. */
export function reportFailures(
  emitter: StepEmitter,
  subject: { readonly urn: Urn; readonly type: string; readonly name: string },
  failures: readonly CheckFailure[],
  inputs: PropertyMap,
): void {
  const { urn, type, name } = subject
  const scrub = scrubber(secretTexts(inputs))
  for (const { property, reason } of failures)
    if (property === '')
      emitter.diagnostic('error', `${type} resource '${name}' has a problem: ${scrub(reason)}`, urn)
    else {
      const value = isSecret(inputs.get(property))
        ? '[secret]'
        : JSON.stringify(redactMap(inputs)[property] ?? null)
      const message = `${type} resource '${name}': property ${property} value ${value} has a problem: ${scrub(reason)}`
      emitter.diagnostic('error', message, urn)
    }
}

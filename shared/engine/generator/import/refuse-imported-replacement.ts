import type { ResourceState } from '../../../state/resource.ts'
import { isSecret, type PropertyMap } from '../../../values/value.ts'
import { redactMap } from '../../../values/special-values.ts'
import type { CheckedRegistration } from '../registration/checked-registration.ts'
import type { GeneratorContext } from '../context.ts'
import type { ChangeDecision } from '../changes/decide-change.ts'
import { toDecided, failDeployment, type Result } from '../stage.ts'

/**
 * Refuses the replacement of an imported resource, because the new resource would not have the id
 * that the program specifies. A preview only warns. Source:
 * docs/spec/step-generation.md#replacement.
 */
export function refuseImportedReplacement(
  { input, ports }: GeneratorContext,
  { assignment, next }: Pick<CheckedRegistration, 'assignment' | 'next'>,
  {
    old,
    change,
  }: { readonly old: ResourceState; readonly change: ChangeDecision & { kind: 'replace' } },
): Result<void> {
  const message = describeRefusal(change.reason.keys, old.inputs, next.inputs)
  if (!input.isPreview) return failDeployment(message, assignment.urn)
  ports.emitter.report('warning', message, assignment.urn)
  return toDecided(undefined)
}

/**
 * Returns the message of the refusal, with the differences that cause the replacement. Secrets are
 * not shown.
 */
function describeRefusal(
  keys: readonly string[],
  oldInputs: PropertyMap,
  newInputs: PropertyMap,
): string {
  const [before, after] = [redactMap(oldInputs), redactMap(newInputs)]
  const formatProperty = (map: PropertyMap, redacted: typeof before, key: string): string =>
    isSecret(map.get(key)) ? '[secret]' : (JSON.stringify(redacted[key]) ?? 'nothing')
  const differences = keys.map(
    key =>
      `${key}: ${formatProperty(oldInputs, before, key)} => ${formatProperty(newInputs, after, key)}`,
  )
  // The text is Pulumi's to the letter, with its semicolons.
  const message =
    'previously-imported resources that still specify an ID may not be replaced; ' +
    'please remove the `import` declaration from your program;'
  return [message, ...differences].join('\n')
}

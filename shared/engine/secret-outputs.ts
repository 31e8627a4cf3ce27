import type { ResourceState } from '../state/resource.ts'
import { isSecret, type PropertyValue, secretOf } from '../values/value.ts'

/**
 * Marks outputs as secret if the program lists them as secret outputs, or if the input of the same
 * name is secret. Warns for `id`, which cannot be secret. Source:
 * docs/spec/step-execution.md#secret-outputs.
 */
export function markSecretOutputs(
  state: ResourceState,
  warn: (message: string) => void,
): ResourceState {
  const keys = new Set<string>()
  for (const key of state.additionalSecretOutputs)
    if (key === 'id') warn(`The 'id' property cannot be made secret. See ${state.urn}`)
    else keys.add(key)
  for (const [key, value] of state.inputs) if (isSecret(value)) keys.add(key)
  const unmarkedKeys = [...keys].filter(key => {
    const value = state.outputs.get(key)
    return value !== undefined && !isSecret(value)
  })
  if (unmarkedKeys.length === 0) return state
  const outputs = new Map<string, PropertyValue>(state.outputs)
  for (const key of unmarkedKeys) outputs.set(key, secretOf(outputs.get(key) ?? null))
  return { ...state, outputs }
}

import { describe, expect, test } from 'vitest'
import { unknown } from '../../../values/value.ts'
import type { TerraformClient } from '../client/terraform-client.ts'
import { createScriptedProvider, inputsOf } from './scripted-provider.fixture.ts'
import { thingCodec } from './scripted-schemas.fixture.ts'

/** Changes attributes of the planned states, from the second plan on. */
const changePlan =
  (change: Readonly<Record<string, string>>) =>
  (base: TerraformClient): Partial<TerraformClient> => {
    let planCount = 0
    return {
      async planResourceChange(request) {
        const response = await base.planResourceChange(request)
        planCount += 1
        if (planCount < 2) return response
        const planned = thingCodec.decode(response.plannedState) as object
        return { ...response, plannedState: thingCodec.encode({ ...planned, ...change }) }
      },
    }
  }

describe('the final plan of a create', () => {
  test('that differs from the preview is an error, and nothing is applied', async () => {
    const createScript = (base: TerraformClient): Partial<TerraformClient> => ({
      async planResourceChange(request) {
        const response = await base.planResourceChange(request)
        const { value } = thingCodec.decode(request.config) as { readonly value: string }
        const note = value === '?' ? 'planned first' : 'planned later'
        const planned = thingCodec.decode(response.plannedState) as object
        return { ...response, plannedState: thingCodec.encode({ ...planned, note }) }
      },
    })
    const { create, takeCalls } = await createScriptedProvider(createScript)
    await create(inputsOf({ label: 'a', value: unknown }), { preview: true })
    takeCalls()
    await expect(create(inputsOf({ label: 'a', value: 'v' }))).rejects.toThrow(
      "provider 'x' planned another change of 'urn:pulumi:dev::p::x:index/thing:Thing::a' than " +
        "before: the value has changed at 'note'. This is a bug of the provider",
    )
    expect(takeCalls()).toEqual(['planResourceChange'])
  })

  test('may know what the preview did not know', async () => {
    const { create } = await createScriptedProvider(changePlan({ note: 'known now' }))
    await create(inputsOf({ label: 'a', value: unknown }), { preview: true })
    const { outputs } = await create(inputsOf({ label: 'a', value: 'v' }))
    expect(outputs.get('note')).toBe('known now')
  })

  test('is not compared with the preview of another configuration', async () => {
    const { create } = await createScriptedProvider()
    await create(inputsOf({ label: 'a', value: 'other' }), { preview: true })
    const { outputs } = await create(inputsOf({ label: 'a', value: 'v' }))
    expect(outputs.get('value')).toBe('v')
  })
})

describe('the final plan of an update', () => {
  /** Creates an object, and diffs a change of it with a scripted provider. */
  async function diffWithScript(script: (base: TerraformClient) => Partial<TerraformClient>) {
    const unscripted = await createScriptedProvider()
    const { outputs } = await unscripted.create(inputsOf({ label: 'a', value: 'v' }))
    const scripted = await createScriptedProvider(script)
    const newInputs = inputsOf({ label: 'a', value: 'w' })
    expect(await scripted.diff(outputs, newInputs)).toMatchObject({ changes: 'some' })
    scripted.takeCalls()
    return { ...scripted, apply: () => scripted.update(outputs, newInputs) }
  }

  test('that differs from the diff is an error, and nothing is applied', async () => {
    const { apply, takeCalls } = await diffWithScript(changePlan({ note: 'planned later' }))
    await expect(apply()).rejects.toThrow("the value has changed at 'note'")
    expect(takeCalls()).toEqual(['upgradeResourceState', 'planResourceChange'])
  })

  test('that requires a replacement is an error, and nothing is applied', async () => {
    const { apply, takeCalls } = await diffWithScript(base => ({
      async planResourceChange(request) {
        const response = await base.planResourceChange(request)
        return { ...response, requiresReplace: [[{ kind: 'attribute', name: 'value' }]] }
      },
    }))
    await expect(apply()).rejects.toThrow("the action 'update' became 'replace'")
    expect(takeCalls()).not.toContain('applyResourceChange')
  })

  test('may drop a change that was possible before, and then nothing is applied', async () => {
    const { create, update, diff, takeCalls } = await createScriptedProvider()
    const { outputs } = await create(inputsOf({ label: 'a', value: 'v' }))
    await diff(outputs, inputsOf({ label: 'a', value: unknown }))
    takeCalls()
    const updated = await update(outputs, inputsOf({ label: 'a', value: 'v' }))
    expect(updated.outputs.get('value')).toBe('v')
    expect(takeCalls()).toEqual(['upgradeResourceState', 'planResourceChange'])
  })

  test('that differs in a sensitive attribute is an error without the values', async () => {
    let planCount = 0
    const { create } = await createScriptedProvider(base => ({
      async planResourceChange(request) {
        const response = await base.planResourceChange(request)
        const planned = thingCodec.decode(response.plannedState) as object
        planCount += 1
        const token = `hunter${planCount}`
        return { ...response, plannedState: thingCodec.encode({ ...planned, token }) }
      },
    }))
    const inputs = inputsOf({ label: 'a' })
    await create(inputs, { preview: true })
    await expect(create(inputs)).rejects.toThrow(
      /before: inconsistent values for a sensitive attribute at 'token'\. This/,
    )
  })
})

import { expect, test } from 'vitest'
import { orderOfEffects } from '../../shared/records/order-of-effects.ts'
import { createCloud } from './cloud.ts'
import { openEngine, type Program } from './engine.ts'
import { tableName } from './resume.ts'

const { start, settle, register, operate, plan, close } = orderOfEffects

/** What a process does for itself: no handler's order. */
const ofTheProcess = /^(?:leases|events)\.|^log\.append (?:phase|program-ended|outputs)$/

const callsOf = (list: { readonly effects: readonly { readonly call: string }[] }): string[] =>
  list.effects.map(({ call }) => call)

const one: Program = async monitor => {
  await monitor.register({ type: 'test:index:Thing', name: 'a', custom: true, object: {} })
}

test('a deployment does what the table says, in its order', async () => {
  const engine = await openEngine(createCloud().script)
  try {
    const calls = async (program: Program | undefined) =>
      (await engine.run(program)).effects.filter(name => !ofTheProcess.test(name)).map(tableName)
    const without = (names: readonly string[], ...gone: readonly string[]): string[] =>
      names.filter(name => !gone.includes(name))
    // Stack and provider are settled; one create, upon which nobody waits.
    expect(await calls(one)).toEqual([
      ...callsOf(start),
      ...callsOf(settle),
      ...callsOf(settle),
      ...callsOf(register),
      ...without(callsOf(operate), 'operations.arrive', 'chains.send'),
      ...callsOf(close),
    ])
    // Nothing is registered but the stack: the resource goes, then its provider, without a call.
    const [send = ''] = callsOf(operate).slice(5)
    expect(await calls(async () => {})).toEqual([
      ...callsOf(start),
      ...callsOf(plan),
      ...without(callsOf(operate), send, 'chains.remove'),
      ...without(callsOf(operate), 'provider call', 'operations.arrive', send),
      ...callsOf(close),
    ])
  } finally {
    await engine.close()
  }
})

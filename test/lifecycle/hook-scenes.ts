import type { Cloud } from './cloud.ts'
import type { Monitor, Program } from './engine.ts'
import { openProgramFunctions, withHooks } from './program-functions.ts'
import type { Scene } from './scene.ts'
import { runUntilDone } from './scene.ts'
import { registerThing } from './register-thing.ts'

/**
 * Registers hooks of every type. The error hook removes the fault of a failed update, and requests
 * a retry of every failed call.
 */
async function registerHooks(monitor: Monitor, cloud: Cloud | undefined): Promise<object> {
  const functions = await openProgramFunctions(monitor)
  const registerNoop = (name: string): Promise<string> =>
    functions.registerHook(name, () => undefined)
  const retryHook = await functions.registerErrorHook('again', ({ id }) => {
    cloud?.faults.delete(`update ${id}`)
    return true
  })
  return withHooks({
    beforeCreate: [await registerNoop('beforeCreate')],
    afterCreate: [await registerNoop('afterCreate')],
    beforeUpdate: [await registerNoop('beforeUpdate')],
    afterUpdate: [await registerNoop('afterUpdate')],
    beforeDelete: [await registerNoop('beforeDelete')],
    afterDelete: [await registerNoop('afterDelete')],
    onError: [retryHook],
  })
}

const initialProgram: Program = async monitor => {
  const hookOptions = await registerHooks(monitor, undefined)
  await registerThing(monitor, 'kept', { v: 1 }, hookOptions)
  await registerThing(monitor, 'changed', { v: 1 }, hookOptions)
  const base = await registerThing(monitor, 'gone', { v: 1 }, hookOptions)
  await registerThing(monitor, 'gone-upon', { v: 1 }, { ...hookOptions, dependencies: [base.urn] })
}

const createChangedProgram =
  (cloud: Cloud): Program =>
  async monitor => {
    const hookOptions = await registerHooks(monitor, cloud)
    await registerThing(monitor, 'kept', { v: 1 }, hookOptions)
    const group = await monitor.register({
      type: 'test:index:Group',
      name: 'group',
      object: {},
      ...hookOptions,
    })
    await registerThing(monitor, 'changed', { v: 2 }, hookOptions)
    await registerThing(monitor, 'new', { v: 2 }, { ...hookOptions, parent: group.urn })
    await monitor.registerOutputs(group.urn, { made: 1 })
  }

const hooked: Scene = {
  name: 'up with hooks',
  initialProgram: initialProgram,
  run({ engine, cloud }, kill) {
    cloud.faults.add('update changed-1')
    return engine.run(createChangedProgram(cloud), { kill })
  },
  recover: setup =>
    runUntilDone(setup, { program: createChangedProgram(setup.cloud), options: {} }),
}

/** Registers one resource with so many dependents that its operations need joins. */
const manyProgram: Program = async monitor => {
  const hookOptions = await registerHooks(monitor, undefined)
  const base = await registerThing(monitor, 'base', { v: 1 }, hookOptions)
  const names = Array.from({ length: 34 }, (_, index) => `n${index}`)
  await Promise.all(
    names.map(name =>
      registerThing(monitor, name, { v: 1 }, { ...hookOptions, dependencies: [base.urn] }),
    ),
  )
}

const emptyProgram: Program = async monitor => {
  await registerHooks(monitor, undefined)
}

const hookedWide: Scene = {
  name: 'up with many deletes and hooks',
  initialProgram: manyProgram,
  run: ({ engine }, kill) => engine.run(emptyProgram, { kill }),
  recover: setup => runUntilDone(setup, { program: emptyProgram, options: {} }),
}

/** Scenes with hooks around provider calls. */
export const hookScenes = { hooked, hookedWide } as const satisfies Record<string, Scene>

import type { Cloud } from './cloud.ts'
import type { Monitor, Program } from './engine.ts'
import { openProgramFunctions, withHooks } from './program-functions.ts'
import type { Scene } from './scene.ts'
import { runUntilDone } from './scene.ts'
import { registerThing } from './register-thing.ts'

/** Registers hooks of every type, and an error hook that requests a retry of every call. */
async function registerHooks(monitor: Monitor, cloud: Cloud | undefined): Promise<object> {
  const functions = await openProgramFunctions(monitor)
  const registerNoop = (name: string): Promise<string> =>
    functions.registerHook(name, () => undefined)
  const again = await functions.registerErrorHook('again', ({ id }) => {
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
    onError: [again],
  })
}

const initialProgram: Program = async monitor => {
  const around = await registerHooks(monitor, undefined)
  await registerThing(monitor, 'kept', { v: 1 }, around)
  await registerThing(monitor, 'changed', { v: 1 }, around)
  const base = await registerThing(monitor, 'gone', { v: 1 }, around)
  await registerThing(monitor, 'gone-upon', { v: 1 }, { ...around, dependencies: [base.urn] })
}

const createChanged =
  (cloud: Cloud): Program =>
  async monitor => {
    const around = await registerHooks(monitor, cloud)
    await registerThing(monitor, 'kept', { v: 1 }, around)
    const group = await monitor.register({
      type: 'test:index:Group',
      name: 'group',
      object: {},
      ...around,
    })
    await registerThing(monitor, 'changed', { v: 2 }, around)
    await registerThing(monitor, 'new', { v: 2 }, { ...around, parent: group.urn })
    await monitor.registerOutputs(group.urn, { made: 1 })
  }

const hooked: Scene = {
  name: 'up with hooks',
  before: initialProgram,
  act({ engine, cloud }, kill) {
    cloud.faults.add('update changed-1')
    return engine.run(createChanged(cloud), { kill })
  },
  recover: place => runUntilDone(place, { program: createChanged(place.cloud), options: {} }),
}

/** More dependents of one thing than an operation may release without a join. */
const manyProgram: Program = async monitor => {
  const around = await registerHooks(monitor, undefined)
  const base = await registerThing(monitor, 'base', { v: 1 }, around)
  const names = Array.from({ length: 34 }, (_, at) => `n${at}`)
  await Promise.all(
    names.map(name =>
      registerThing(monitor, name, { v: 1 }, { ...around, dependencies: [base.urn] }),
    ),
  )
}

const emptyProgram: Program = async monitor => {
  await registerHooks(monitor, undefined)
}

const hookedWide: Scene = {
  name: 'up with many deletes and hooks',
  before: manyProgram,
  act: ({ engine }, kill) => engine.run(emptyProgram, { kill }),
  recover: place => runUntilDone(place, { program: emptyProgram, options: {} }),
}

/** Scenes with hooks around provider calls. */
export const hookScenes = { hooked, hookedWide } as const satisfies Record<string, Scene>

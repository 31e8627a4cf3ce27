import type { Cloud } from './cloud.ts'
import type { Monitor, Program } from './engine.ts'
import { functionsOf, hooks } from './functions-of-programs.ts'
import type { Scene } from './scene.ts'
import { toTheEnd } from './scene.ts'
import { thing } from './things.ts'

/** Hooks for every moment, told to `heard`; an error hook that wants every call made again. */
async function hooksOf(monitor: Monitor, cloud: Cloud | undefined): Promise<object> {
  const functions = await functionsOf(monitor)
  const hook = (name: string): Promise<string> => functions.hook(name, () => undefined)
  const again = await functions.errorHook('again', ({ id }) => {
    cloud?.faults.delete(`update ${id}`)
    return true
  })
  return hooks({
    beforeCreate: [await hook('beforeCreate')],
    afterCreate: [await hook('afterCreate')],
    beforeUpdate: [await hook('beforeUpdate')],
    afterUpdate: [await hook('afterUpdate')],
    beforeDelete: [await hook('beforeDelete')],
    afterDelete: [await hook('afterDelete')],
    onError: [again],
  })
}

const before: Program = async monitor => {
  const around = await hooksOf(monitor, undefined)
  await thing(monitor, 'kept', { v: 1 }, around)
  await thing(monitor, 'changed', { v: 1 }, around)
  const base = await thing(monitor, 'gone', { v: 1 }, around)
  await thing(monitor, 'gone-upon', { v: 1 }, { ...around, dependencies: [base.urn] })
}

const after =
  (cloud: Cloud): Program =>
  async monitor => {
    const around = await hooksOf(monitor, cloud)
    await thing(monitor, 'kept', { v: 1 }, around)
    const group = await monitor.register({
      type: 'test:index:Group',
      name: 'group',
      object: {},
      ...around,
    })
    await thing(monitor, 'changed', { v: 2 }, around)
    await thing(monitor, 'new', { v: 2 }, { ...around, parent: group.urn })
    await monitor.outputs(group.urn, { made: 1 })
  }

const hooked: Scene = {
  name: 'up with hooks',
  before,
  act({ engine, cloud }, kill) {
    cloud.faults.add('update changed-1')
    return engine.run(after(cloud), { kill })
  },
  goOn: place => toTheEnd(place, { program: after(place.cloud), asked: {} }),
}

/** More than one join can do without upon one thing. */
const many: Program = async monitor => {
  const around = await hooksOf(monitor, undefined)
  const base = await thing(monitor, 'base', { v: 1 }, around)
  const names = Array.from({ length: 34 }, (_, at) => `n${at}`)
  await Promise.all(
    names.map(name => thing(monitor, name, { v: 1 }, { ...around, dependencies: [base.urn] })),
  )
}

const none: Program = async monitor => {
  await hooksOf(monitor, undefined)
}

const hookedWide: Scene = {
  name: 'up that deletes many with hooks',
  before: many,
  act: ({ engine }, kill) => engine.run(none, { kill }),
  goOn: place => toTheEnd(place, { program: none, asked: {} }),
}

/** Programs that are called back around provider calls. */
export const scenesOfHooks = { hooked, hookedWide } as const satisfies Record<string, Scene>

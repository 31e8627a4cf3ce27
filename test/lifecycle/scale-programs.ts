import type { ImportedResource } from '../../shared/records/import.ts'
import type { Monitor, Program } from './engine.ts'
import { registerThing, withDependency } from './register-thing.ts'

/** Returns the URN of a resource without a parent. */
export const scaleUrnOf = (name: string, type = 'test:index:Thing'): string =>
  `urn:pulumi:dev::life::${type}::${name}`
/** Returns the names of `count` resources. */
export const listNames = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `r${at}`)
/** Returns the URNs of every second resource. */
export const listEvenUrns = (count: number): readonly string[] =>
  listNames(count)
    .filter((_, at) => at % 2 === 0)
    .map(name => scaleUrnOf(name))

/** Returns the further options of one resource. */
type More = (name: string, at: number) => object

/** Returns a program of independent resources, registered concurrently. */
export const createFlat =
  (more: More = () => ({}), object: More = () => ({ v: 1 })) =>
  (count: number): Program =>
  async monitor => {
    const open = listNames(count).map((name, at) => [name, at] as const)
    const worker = async (): Promise<void> => {
      for (let next = open.shift(); next !== undefined; next = open.shift())
        await registerThing(monitor, next[0], { ...object(...next) }, more(...next))
    }
    await Promise.all(Array.from({ length: 16 }, worker))
  }

/** Each resource depends on the previous one. */
export const createChain =
  (first: object, more: object = {}) =>
  (count: number): Program =>
  async monitor => {
    let last = ''
    for (const [at, name] of listNames(count).entries()) {
      const made = await registerThing(
        monitor,
        name,
        { ...(at === 0 ? first : { replace: 'x' }) },
        { ...(at === 0 ? {} : withDependency(last)), ...more },
      )
      last = made.urn
    }
  }

/** All resources depend on the first one. */
export const createStar =
  (first: object, more: object = {}, each: More = () => ({})) =>
  (count: number): Program =>
  async monitor => {
    await registerThing(monitor, 'root', { ...first }, more)
    const root = scaleUrnOf('root')
    await createFlat(
      (name, at) => ({ ...withDependency(root), ...more, ...each(name, at) }),
      () => ({
        replace: 'x',
      }),
    )(count)(monitor)
  }

/** Every second resource depends on the previous one. */
export const createPairs =
  (value: string) =>
  (count: number): Program =>
  async monitor => {
    for (const [at, name] of listNames(count).entries()) {
      const other = scaleUrnOf(`r${at - 1}`)
      const bound = at % 2 === 1 ? { deletedWith: other, replaceWith: [other] } : {}
      await registerThing(monitor, name, at % 2 === 1 ? { v: 1 } : { replace: value }, bound)
    }
  }

/** All resources are children of one component. */
export const createBelow =
  (component: string, more: More = () => ({})) =>
  (count: number): Program =>
  async monitor => {
    const { urn } = await monitor.register({ type: 'test:index:Group', name: component })
    await createFlat((name, at) => ({ parent: urn, ...more(name, at) }))(count)(monitor)
    await monitor.registerOutputs(urn, { done: true })
  }

/** All resources have an explicit provider. */
export const createProvided =
  (region: string) =>
  (count: number): Program =>
  async monitor => {
    const { urn, id } = await monitor.register({
      type: 'pulumi:providers:test',
      name: 'own',
      custom: true,
      object: { region },
    })
    await createFlat(() => ({ provider: `${urn}::${id}` }))(count)(monitor)
  }

/** Returns a program of components that register outputs. */
export const createComponents =
  () =>
  (count: number): Program =>
  async (monitor: Monitor) => {
    for (const name of listNames(count)) {
      const { urn } = await monitor.register({ type: 'test:index:Group', name })
      await monitor.registerOutputs(urn, { name })
    }
  }

/** Returns the resources in the form of an import file. */
export const createImports = (count: number): readonly ImportedResource[] =>
  listNames(count).map(name => ({
    type: 'test:index:Thing',
    name,
    id: `${name}-1`,
    parent: '',
    provider: '',
    version: '',
    pluginDownloadUrl: '',
    protect: false,
    isChosen: false,
    component: 'no',
  }))

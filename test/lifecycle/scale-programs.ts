import type { ImportedResource } from '../../shared/records/imported-resource.ts'
import type { Monitor, Program } from './engine.ts'
import { registerThing, withDependency } from './register-thing.ts'

/** Returns the URN of a resource without a parent. */
export const scaleUrnOf = (name: string, type = 'test:index:Thing'): string =>
  `urn:pulumi:dev::life::${type}::${name}`
/** Returns the names of `count` resources. */
export const listNames = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `r${index}`)
/** Returns the URNs of every second one of `count` resources, from the first. */
export const listEvenUrns = (count: number): readonly string[] =>
  listNames(count)
    .filter((_, index) => index % 2 === 0)
    .map(name => scaleUrnOf(name))

/** A function that returns options or inputs of one resource. */
type OptionsOf = (name: string, index: number) => object

/** Returns a program of independent resources, registered concurrently. `object`: their inputs. */
export const createFlatProgram =
  (optionsOf: OptionsOf = () => ({}), object: OptionsOf = () => ({ v: 1 })) =>
  (count: number): Program =>
  async monitor => {
    const remaining = listNames(count).map((name, index) => [name, index] as const)
    const registerRemaining = async (): Promise<void> => {
      for (let entry = remaining.shift(); entry !== undefined; entry = remaining.shift())
        await registerThing(monitor, entry[0], { ...object(...entry) }, optionsOf(...entry))
    }
    await Promise.all(Array.from({ length: 16 }, registerRemaining))
  }

/** Returns a program in which each resource depends on the previous one. */
export const createChain =
  (firstObject: object, options: object = {}) =>
  (count: number): Program =>
  async monitor => {
    let lastUrn = ''
    for (const [index, name] of listNames(count).entries()) {
      const resource = await registerThing(
        monitor,
        name,
        { ...(index === 0 ? firstObject : { replace: 'x' }) },
        { ...(index === 0 ? {} : withDependency(lastUrn)), ...options },
      )
      lastUrn = resource.urn
    }
  }

/** Returns a program in which all resources depend on the first one. */
export const createStarProgram =
  (firstObject: object, options: object = {}, optionsOfEach: OptionsOf = () => ({})) =>
  (count: number): Program =>
  async monitor => {
    await registerThing(monitor, 'root', { ...firstObject }, options)
    const root = scaleUrnOf('root')
    await createFlatProgram(
      (name, index) => ({ ...withDependency(root), ...options, ...optionsOfEach(name, index) }),
      () => ({
        replace: 'x',
      }),
    )(count)(monitor)
  }

/**
 * Returns a program in which every second resource is replaced and deleted with the previous one.
 */
export const createPairsProgram =
  (value: string) =>
  (count: number): Program =>
  async monitor => {
    for (const [index, name] of listNames(count).entries()) {
      const previousUrn = scaleUrnOf(`r${index - 1}`)
      const replacementOptions =
        index % 2 === 1 ? { deletedWith: previousUrn, replaceWith: [previousUrn] } : {}
      await registerThing(
        monitor,
        name,
        index % 2 === 1 ? { v: 1 } : { replace: value },
        replacementOptions,
      )
    }
  }

/** Returns a program in which all resources are children of one component. */
export const createChildrenProgram =
  (component: string, optionsOf: OptionsOf = () => ({})) =>
  (count: number): Program =>
  async monitor => {
    const { urn } = await monitor.register({ type: 'test:index:Group', name: component })
    await createFlatProgram((name, index) => ({ parent: urn, ...optionsOf(name, index) }))(count)(
      monitor,
    )
    await monitor.registerOutputs(urn, { done: true })
  }

/** Returns a program in which all resources have an explicit provider. */
export const createWithProvider =
  (region: string) =>
  (count: number): Program =>
  async monitor => {
    const { urn, id } = await monitor.register({
      type: 'pulumi:providers:test',
      name: 'own',
      custom: true,
      object: { region },
    })
    await createFlatProgram(() => ({ provider: `${urn}::${id}` }))(count)(monitor)
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

/** Returns `count` resources for the command `import`. The resource `r0` has the id `r0-1`. */
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

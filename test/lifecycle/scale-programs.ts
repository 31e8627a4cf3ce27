import type { ImportedResource } from '../../shared/records/import.ts'
import type { Monitor, Program } from './engine.ts'
import { thing, upon } from './things.ts'

/** The URN of a resource without a parent in its type. */
export const urnOf = (name: string, type = 'test:index:Thing'): string =>
  `urn:pulumi:dev::life::${type}::${name}`
/** The names of so many resources. */
export const names = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `r${at}`)
/** The URNs of each second one. */
export const even = (count: number): readonly string[] =>
  names(count)
    .filter((_, at) => at % 2 === 0)
    .map(name => urnOf(name))

/** What a resource has of its own. */
type More = (name: string, at: number) => object

/** Resources side by side, many registrations at once. */
export const flat =
  (more: More = () => ({}), object: More = () => ({ v: 1 })) =>
  (count: number): Program =>
  async monitor => {
    const open = names(count).map((name, at) => [name, at] as const)
    const worker = async (): Promise<void> => {
      for (let next = open.shift(); next !== undefined; next = open.shift())
        await thing(monitor, next[0], { ...object(...next) }, more(...next))
    }
    await Promise.all(Array.from({ length: 16 }, worker))
  }

/** Each resource after, and upon, the one before. */
export const chain =
  (first: object, more: object = {}) =>
  (count: number): Program =>
  async monitor => {
    let last = ''
    for (const [at, name] of names(count).entries()) {
      const made = await thing(
        monitor,
        name,
        { ...(at === 0 ? first : { replace: 'x' }) },
        { ...(at === 0 ? {} : upon(last)), ...more },
      )
      last = made.urn
    }
  }

/** All upon the first. */
export const star =
  (first: object, more: object = {}, each: More = () => ({})) =>
  (count: number): Program =>
  async monitor => {
    await thing(monitor, 'root', { ...first }, more)
    const root = urnOf('root')
    await flat(
      (name, at) => ({ ...upon(root), ...more, ...each(name, at) }),
      () => ({
        replace: 'x',
      }),
    )(count)(monitor)
  }

/** Each second bound to the one before it. */
export const pairs =
  (value: string) =>
  (count: number): Program =>
  async monitor => {
    for (const [at, name] of names(count).entries()) {
      const other = urnOf(`r${at - 1}`)
      const bound = at % 2 === 1 ? { deletedWith: other, replaceWith: [other] } : {}
      await thing(monitor, name, at % 2 === 1 ? { v: 1 } : { replace: value }, bound)
    }
  }

/** All below a component. */
export const below =
  (component: string, more: More = () => ({})) =>
  (count: number): Program =>
  async monitor => {
    const { urn } = await monitor.register({ type: 'test:index:Group', name: component })
    await flat((name, at) => ({ parent: urn, ...more(name, at) }))(count)(monitor)
    await monitor.outputs(urn, { done: true })
  }

/** All by a provider of the program. */
export const provided =
  (region: string) =>
  (count: number): Program =>
  async monitor => {
    const { urn, id } = await monitor.register({
      type: 'pulumi:providers:test',
      name: 'own',
      custom: true,
      object: { region },
    })
    await flat(() => ({ provider: `${urn}::${id}` }))(count)(monitor)
  }

/** Components that register outputs. */
export const components =
  () =>
  (count: number): Program =>
  async (monitor: Monitor) => {
    for (const name of names(count)) {
      const { urn } = await monitor.register({ type: 'test:index:Group', name })
      await monitor.outputs(urn, { name })
    }
  }

/** All as a file of imports says it. */
export const imported = (count: number): readonly ImportedResource[] =>
  names(count).map(name => ({
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

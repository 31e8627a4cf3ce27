import type { Cloud } from './cloud.ts'
import type { Script } from '../../shared/providers/pulumi/scripted-server.ts'
import type { StackRecord } from '../../shared/ports/catalog.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import { signatureKey, signatures } from '../../shared/values/wire-options.ts'
import { type Monitor, openEngine, type Program, type TestEngine } from './engine.ts'

/** Registers a resource of the scripted provider. */
export const registerThing = (
  monitor: Monitor,
  name: string,
  object: Record<string, unknown>,
  more: object = {},
) => monitor.register({ type: 'test:index:Thing', name, custom: true, object, ...more })

/** Options by which a resource is replaced with the one that it depends on. */
export const withDependency = (urn: string): object => ({
  dependencies: [urn],
  propertyDependencies: new Map([['replace', { urns: [urn] }]]),
})

/** Options by which a resource is deleted before its replacement is made. */
export const deleteFirst = { deleteBeforeReplace: true, deleteBeforeReplaceDefined: true }

/** A secret as programs and providers send it. */
export const toWireSecret = (value: unknown): object => ({
  [signatureKey]: signatures.secret,
  value,
})

/** A program that registers things one after another. */
export const createThings =
  (values: Record<string, Record<string, unknown>>): Program =>
  async monitor => {
    for (const [name, object] of Object.entries(values)) await registerThing(monitor, name, object)
  }

/** The record of the stack that engines of tests deploy. */
export async function getTestStack({ catalog }: Pick<Platform, 'catalog'>): Promise<StackRecord> {
  const { stacks } = await catalog.listStacks()
  const [record] = stacks
  if (record === undefined) throw new Error('the stack')
  return record
}

/** Engines that are closed when their test is over. */
export function createEngines() {
  const open: TestEngine[] = []
  return {
    async open(cloud: Cloud, more?: Readonly<Record<string, Script>>): Promise<TestEngine> {
      const engine = await openEngine(cloud.script, undefined, more)
      open.push(engine)
      return engine
    },
    async close(): Promise<void> {
      for (const engine of open.splice(0)) await engine.close()
    },
  }
}

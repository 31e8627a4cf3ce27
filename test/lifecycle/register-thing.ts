import type { Cloud } from './cloud.ts'
import type { Script } from '../../shared/providers/pulumi/scripted-server.fixture.ts'
import type { StackRecord } from '../../shared/ports/catalog.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import { signatureKey, signatures } from '../../shared/values/wire-options.ts'
import { type Monitor, openEngine, type Program, type TestEngine } from './engine.ts'

/** Registers a resource of the scripted provider. */
export const registerThing = (
  monitor: Monitor,
  name: string,
  object: Record<string, unknown>,
  options: object = {},
) => monitor.register({ type: 'test:index:Thing', name, custom: true, object, ...options })

/** Returns the options of a resource that is replaced together with its dependency. */
export const withDependency = (urn: string): object => ({
  dependencies: [urn],
  propertyDependencies: new Map([['replace', { urns: [urn] }]]),
})

/** The options of a resource that is deleted before its replacement is created. */
export const deleteFirst = { deleteBeforeReplace: true, deleteBeforeReplaceDefined: true }

/** Returns a secret in its wire form. */
export const toWireSecret = (value: unknown): object => ({
  [signatureKey]: signatures.secret,
  value,
})

/** Returns a program that registers things one after another. */
export const createThings =
  (values: Record<string, Record<string, unknown>>): Program =>
  async monitor => {
    for (const [name, object] of Object.entries(values)) await registerThing(monitor, name, object)
  }

/** Returns the record of the stack that test engines deploy. */
export async function getTestStack({ catalog }: Pick<Platform, 'catalog'>): Promise<StackRecord> {
  const { stacks } = await catalog.listStacks()
  const [record] = stacks
  if (record === undefined) throw new Error('there is no stack')
  return record
}

/** Creates engines. `close` closes all of them. */
export function createEngines() {
  const open: TestEngine[] = []
  return {
    async open(
      cloud: Cloud,
      packageScripts?: Readonly<Record<string, Script>>,
    ): Promise<TestEngine> {
      const engine = await openEngine(cloud.script, undefined, packageScripts)
      open.push(engine)
      return engine
    },
    async close(): Promise<void> {
      for (const engine of open.splice(0)) await engine.close()
    },
  }
}

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cloud } from './cloud.ts'
import {
  type TestRunOptions,
  openEngine,
  type Program,
  type TestRun,
  type TestEngine,
} from './engine.ts'
import { createScriptedPlugins, type ExtraScript, type Plugins } from './scripted-plugins.ts'

/** The options of a run, with configuration as texts by `ns:key`. */
type PluginRunOptions = TestRunOptions & {
  readonly configTexts?: Readonly<
    Record<string, { readonly text: string; readonly isSecret?: boolean }>
  >
}

/** An engine that starts every plugin anew, over one cloud. */
export interface PluginTestEngine extends Omit<TestEngine, 'run'> {
  readonly plugins: Plugins
  readonly run: (program: Program | undefined, options?: PluginRunOptions) => Promise<TestRun>
  /** Returns the messages of severity error. */
  readonly errorsOf: (testRun: TestRun) => readonly string[]
  /** Installs a package for the program, as its package manager does. */
  readonly install: (name: string, pulumi: object, version?: string) => void
}

/** Creates engines over plugins of their own. `close` closes all of them. */
export function createPluginEngines() {
  const runningEngines: { readonly engine: TestEngine; readonly plugins: Plugins }[] = []
  return {
    async open(cloud: Cloud, extra?: ExtraScript): Promise<PluginTestEngine> {
      const engine = await openEngine(cloud.script)
      const plugins = createScriptedPlugins(cloud, extra)
      runningEngines.push({ engine, plugins })
      return {
        ...engine,
        plugins,
        run: (program, options) =>
          engine.run(program, { ...options, plugins: plugins.host, config: configOf(options) }),
        errorsOf,
        install(name, pulumi, version = '0.0.1') {
          const folder = join(engine.home, 'node_modules', ...name.split('/'))
          mkdirSync(folder, { recursive: true })
          const text = JSON.stringify({ name, version, pulumi: { resource: true, ...pulumi } })
          writeFileSync(join(folder, 'package.json'), text)
        },
      }
    },
    async close(): Promise<void> {
      for (const { engine, plugins } of runningEngines.splice(0)) {
        await engine.close()
        plugins.close()
      }
    },
  }
}

function errorsOf({ events }: TestRun): readonly string[] {
  return events.flatMap(event =>
    'diagnosticEvent' in event && event.diagnosticEvent.severity === 'error'
      ? [event.diagnosticEvent.message]
      : [],
  )
}

function configOf({
  configTexts = {},
}: PluginRunOptions = {}): NonNullable<TestRunOptions['config']> {
  return new Map(
    Object.entries(configTexts).map(([key, { text, isSecret = false }]) => [
      key,
      { text, isSecret, isObject: false },
    ]),
  )
}

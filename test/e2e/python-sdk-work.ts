import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { initDevStack } from './exported-state.ts'
import { createSandbox, type CommandOutput, requireSuccess, type Sandbox } from './sandbox.ts'

/**
 * A program of 300 resources in components and helpers, which also uses modules of which the SDK
 * has changed copies. `FAILS`: one output fails while the others are pending.
 */
const program = `import asyncio, gc, os, traceback
import pulumi

class Thing(pulumi.CustomResource):
    serial: pulumi.Output[str]

    def __init__(self, name, props, opts=None):
        super().__init__("gold:index:Thing", name, {**props, "serial": None}, opts)

class Group(pulumi.ComponentResource):
    def __init__(self, name):
        super().__init__("app:index:Group", name, {}, None)
        below = pulumi.ResourceOptions(parent=self)
        self.things = [make_thing(f"{name}-{n}", below) for n in range(30)]
        self.register_outputs({})

def make_thing(name, opts):
    return Thing(name, {"value": name}, opts)

groups = [Group(f"group-{n}") for n in range(10)]
serials = pulumi.Output.all(*[thing.serial for group in groups for thing in group.things])
pulumi.export("serials", serials.apply(sorted))
pulumi.export("lines", [frame.line for frame in traceback.extract_stack()][-1:])
pulumi.export("wait", asyncio.wait.__module__)

def fail(serial):
    raise ValueError("the output failed")

if os.environ.get("FAILS"):
    groups[0].things[0].serial.apply(fail)
`

/** Times, and keys of secrets, which differ between equal deployments. */
const volatileKeys = new Set(['time', 'created', 'modified', 'manifest', 'secrets_providers'])
const uuid = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gu

/** Runs the program once. `reducesWork`: whether the runner reduces the work of the SDK. */
async function runUp(
  sandbox: Sandbox,
  reducesWork: boolean,
  env: Readonly<Record<string, string>> = {},
): Promise<CommandOutput> {
  const settings = { ...env, ANTICHAIN_REDUCE_SDK_WORK: reducesWork ? '1' : '0' }
  return sandbox.run(['up', '--yes', '--skip-preview', '-s', 'dev'], { env: settings })
}

/** Returns the resources of an exported state by URN, without times and ids of providers. */
function normalizeState(text: string): unknown {
  const { deployment } = JSON.parse(text.replaceAll(uuid, 'uuid'), (key, value: unknown) =>
    volatileKeys.has(key) ? undefined : value,
  ) as { readonly deployment: { readonly resources: readonly { readonly urn: string }[] } }
  return deployment.resources.toSorted((a, b) => a.urn.localeCompare(b.urn))
}

/**
 * Deploys the program with and without reduced work of the SDK. Expects equal states, with the same
 * positions in the source, and the same report of a failed output. `environment`: a virtual
 * environment of Python with the SDK.
 */
export async function expectSameResults(environment: string): Promise<void> {
  const results: unknown[] = []
  for (const reducesWork of [false, true]) {
    const sandbox = createSandbox(undefined, {
      sdk: false,
      files: {
        'Pulumi.yaml': 'name: work\nruntime: {name: python, options: {virtualenv: venv}}\n',
        '__main__.py': program,
      },
    })
    try {
      symlinkSync(environment, join(sandbox.program, 'venv'))
      await initDevStack(sandbox)
      requireSuccess(await runUp(sandbox, reducesWork))
      const state = await sandbox.exportState()
      expect(state).toContain('__main__.py#')
      const failed = await runUp(sandbox, reducesWork, { FAILS: 'yes' })
      expect(failed.out).toContain('ValueError: the output failed')
      results.push({
        state: normalizeState(state.replaceAll(sandbox.program, '')),
        exit: failed.exit,
        trace: failed.out
          .replaceAll(sandbox.program, '')
          .match(/Traceback[\s\S]*?ValueError: the output failed/u)?.[0],
      })
    } finally {
      sandbox.remove()
    }
  }
  expect(results[1]).toEqual(results[0])
}

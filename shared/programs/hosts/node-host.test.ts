import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { hasCode } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import { createNodeProgramHost, createProgramArguments } from './node-host.ts'
import { createNodeEnvironment } from './program-environment.ts'
import type { ProgramInput } from '../program.ts'
import { splitArguments } from './split-arguments.ts'

type Spawned = Parameters<ProcessesPort['spawn']>[0]

/** The output and the end of a process. A process that hangs ends only by SIGKILL. */
interface Script {
  readonly out?: string
  readonly err?: string
  readonly code?: number | null
  readonly hangs?: boolean
}

/**
 * Creates processes that follow scripts: `version` if the last argument is `--version`, and
 * otherwise `program`.
 */
function createScriptedProcesses(scripts: Readonly<Record<string, Script>>): {
  readonly port: ProcessesPort
  readonly spawned: Spawned[]
  readonly signals: string[]
} {
  const spawned: Spawned[] = []
  const signals: string[] = []
  const port: ProcessesPort = {
    spawn: request => {
      spawned.push(request)
      const script = scripts[request.args.at(-1) === '--version' ? 'version' : 'program'] ?? {}
      let end = (_end: { code: number | null; signal: string | null }): void => {}
      const exit = new Promise<{ code: number | null; signal: string | null }>(resolve => {
        end = resolve
      })
      if (script.hangs !== true) end({ code: script.code ?? 0, signal: null })
      return {
        pid: 1,
        stdout: bytesOf(script.out ?? ''),
        stderr: bytesOf(script.err ?? ''),
        exit,
        signal: signal => {
          signals.push(signal)
          if (signal === 'SIGKILL') end({ code: null, signal })
        },
      }
    },
    listGroups: () => [],
    close: async () => {},
  }
  return { port, spawned, signals }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  for (const byte of new TextEncoder().encode(text)) yield Uint8Array.of(byte)
}

let root = ''
let programInput: ProgramInput

function write(path: string, text: string): string {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
  return join(root, path)
}

function writeBinary(path: string): string {
  const file = write(path, '')
  chmodSync(file, 0o755)
  return file
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'host-'))
  write(
    'app/node_modules/@pulumi/pulumi/package.json',
    '{"name": "@pulumi/pulumi", "engines": {"node": ">=22"}}',
  )
  write('app/node_modules/@pulumi/pulumi/cmd/run/index.js', '')
  writeBinary('bin/node')
  writeBinary('ours/node')
  programInput = {
    project: 'p',
    stack: 'dev',
    organization: 'organization',
    runtime: 'nodejs',
    projectFolder: join(root, 'app'),
    programFolder: join(root, 'app'),
    entryPoint: '.',
    runtimeOptions: {},
    config: new Map([['p:a', '1']]),
    configSecretKeys: ['p:a'],
    dryRun: true,
    parallel: 4,
    monitorAddress: '127.0.0.1:1',
    engineAddress: '127.0.0.1:2',
  }
})

async function runScript(script: Script, version = 'v24.1.0'): Promise<unknown> {
  const fake = createScriptedProcesses({ program: script, version: { out: `${version}\n` } })
  const lines: string[] = []
  const host = createNodeProgramHost({
    processes: fake.port,
    env: { PATH: join(root, 'bin'), HOME: undefined },
    antichainNode: join(root, 'ours/node'),
    stopGraceMs: 5,
  })
  const running = await host.run(programInput, (line, stream) => lines.push(`${stream}: ${line}`))
  if (script.hangs === true) await running.stop()
  const end = await running.programEnd
  const { command, args } = fake.spawned.at(-1) ?? { command: '', args: [] }
  return { end, lines, signals: fake.signals, command, args }
}

describe('Node program host', () => {
  test("runs the program's SDK with the node of PATH and streams its lines", async () => {
    programInput = { ...programInput, runtimeOptions: { nodeargs: "--import './my file.js'" } }
    expect(await runScript({ out: 'one\r\ntwo é', err: 'warn\n' })).toEqual({
      end: { error: undefined, hasReportedError: false },
      lines: expect.arrayContaining(['stdout: one', 'stdout: two é', 'stderr: warn']),
      signals: [],
      command: join(root, 'bin/node'),
      args: [
        expect.stringMatching(/^--require=.*\/preload-program\.cjs$/),
        '--import',
        './my file.js',
        join(root, 'app/node_modules/@pulumi/pulumi/cmd/run/index.js'),
        ...createProgramArguments(programInput),
      ],
    })
  })

  test('uses its own node when the node of PATH is too old, and reports that only after a failure', async () => {
    const command = join(root, 'ours/node')
    const lines = [expect.stringMatching(/^stderr: .*v20\.1\.0.*>=22/)]
    expect(await runScript({}, 'v20.1.0')).toMatchObject({ command, lines: [] })
    expect(await runScript({ code: 32 }, 'v20.1.0')).toMatchObject({ command, lines })
  })

  test('passes the flags in the order of the language host', () => {
    expect(createProgramArguments(programInput).join(' ')).toBe(
      `--monitor 127.0.0.1:1 --engine 127.0.0.1:2 --organization organization --project p --root-directory ${programInput.projectFolder} --stack dev --pwd ${programInput.programFolder} --dry-run --parallel 4 .`,
    )
  })

  test('passes the configuration in the old spelling, and the secret keys in the new one', () => {
    expect(createNodeEnvironment(programInput)).toEqual({
      PULUMI_CONFIG: '{"p:config:a":"1"}',
      PULUMI_CONFIG_SECRET_KEYS: '["p:a"]',
      PULUMI_NODEJS_TYPESCRIPT: 'true',
    })
    const runtimeOptions = { typescript: false, tsconfig: 'ts.json' }
    expect(createNodeEnvironment({ ...programInput, runtimeOptions })).toEqual({
      PULUMI_CONFIG: '{"p:config:a":"1"}',
      PULUMI_CONFIG_SECRET_KEYS: '["p:a"]',
      PULUMI_NODEJS_TSCONFIG_PATH: 'ts.json',
    })
  })

  test('exit code 32 is a failure that the program reported; the host reports all other exit codes', async () => {
    expect(await runScript({ code: 32 })).toMatchObject({
      end: { error: undefined, hasReportedError: true },
    })
    expect(await runScript({ code: 1 })).toMatchObject({
      end: { error: 'Program exited with non-zero exit code: 1', hasReportedError: false },
    })
    expect(
      await runScript({ code: 134, err: 'FATAL ERROR: JavaScript heap out of memory\n' }),
    ).toEqual(
      expect.objectContaining({
        end: { error: expect.stringContaining('max-old-space-size'), hasReportedError: false },
      }),
    )
  })

  test('a program that ignores the interrupt is killed', async () => {
    expect(await runScript({ hangs: true })).toMatchObject({
      signals: ['SIGINT', 'SIGKILL'],
      end: { error: 'Program was killed by SIGKILL', hasReportedError: false },
    })
  })

  test('fails before the program starts: no SDK, TypeScript without compiler API, no node', async () => {
    const catchRefusal = async (): Promise<unknown> =>
      runScript({}).catch((thrown: unknown) => thrown)
    write('app/node_modules/typescript/package.json', '{"name":"typescript","version":"7.0.2"}')
    write('app/node_modules/typescript/index.js', 'exports.version = "7.0.2"')
    expect(hasCode(await catchRefusal(), 'PROGRAM_TYPESCRIPT_MIX')).toBe(true)
    write('app/node_modules/typescript/index.js', 'exports.createSourceFile = () => {}')
    expect(hasCode(await catchRefusal(), 'PROGRAM_TYPESCRIPT_MIX')).toBe(false)
    chmodSync(join(root, 'bin/node'), 0o644)
    chmodSync(join(root, 'ours/node'), 0o644)
    expect(hasCode(await catchRefusal(), 'PROGRAM_NODE_MISSING')).toBe(true)
    programInput = { ...programInput, programFolder: join(root, 'bin') }
    expect(hasCode(await catchRefusal(), 'PROGRAM_SDK_MISSING')).toBe(true)
  })

  test('finds the SDK through linked folders like Node', async () => {
    mkdirSync(join(root, 'linked'))
    symlinkSync(join(root, 'app/node_modules'), join(root, 'linked/node_modules'))
    programInput = { ...programInput, programFolder: join(root, 'linked') }
    expect(await runScript({})).toMatchObject({
      args: expect.arrayContaining([
        join(root, 'app/node_modules/@pulumi/pulumi/cmd/run/index.js'),
      ]),
    })
  })
})

test('splitArguments splits words as in a shell', () => {
  expect(splitArguments(` a  'b c' "d \\"e" f\\ g '' `)).toEqual(['a', 'b c', 'd "e', 'f g', ''])
  expect(splitArguments('')).toEqual([])
  expect(() => splitArguments("'open")).toThrow(/quote/)
})

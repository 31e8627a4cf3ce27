import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { hasCode } from '../../errors/error.ts'
import { createProcesses } from '../../platform/system/processes.ts'
import { type PluginProcess, parsePort, startPlugin } from './start-plugin.ts'

const folder = mkdtempSync(join(tmpdir(), 'start-'))
const processes = createProcesses()
const lines: string[] = []
afterAll(async () => {
  await processes.close()
  rmSync(folder, { recursive: true, force: true })
})

let count = 0

function start(script: string, options: { mode?: number; portTimeoutMs?: number } = {}) {
  count += 1
  const path = join(folder, `plugin${count}`)
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, options.mode ?? 0o755)
  return startPlugin(processes, {
    name: 'odd',
    path,
    engineAddress: '127.0.0.1:1',
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '' },
    onLine: (line, stream) => lines.push(`${stream}: ${line}`),
    ...(options.portTimeoutMs === undefined ? {} : { portTimeoutMs: options.portTimeoutMs }),
  })
}

async function messageOfFailure(promise: Promise<PluginProcess>): Promise<string> {
  const thrown = await promise.then(
    () => undefined,
    (failed: unknown) => failed,
  )
  return hasCode(thrown, 'PLUGIN_FAILED') ? thrown.message : `not PLUGIN_FAILED: ${String(thrown)}`
}

describe('the port', () => {
  test.each([
    ['1234', 1234],
    [' 65535\r', 65_535],
    // .NET prints these sequences around its output to show progress.
    ['\u001b]9;4;3;\u001b\\80\u001b]9;4;0;\u001b\\', 80],
    ['0', undefined],
    ['65536', undefined],
    ['12 34', undefined],
    ['1e3', undefined],
    ['', undefined],
    ['hello', undefined],
  ])('in %j is %s', (line, port) => {
    expect(parsePort(line)).toBe(port)
  })
})

describe('a plugin that starts', () => {
  test("gets the engine's address, and its output is passed on", async () => {
    const plugin = await start('echo 1234; echo "at $1"; echo; echo oops >&2; sleep 300')
    expect(plugin.port).toBe(1234)
    await expect.poll(() => lines).toContain('stdout: at 127.0.0.1:1')
    await expect.poll(() => lines).toContain('stderr: oops')
    expect(lines).not.toContain('stdout: ')
    await plugin.stop()
    expect(await plugin.exitDescription).toBe('ended with signal SIGINT')
    expect(await plugin.readLastLines()).toEqual(['oops'])
  })
})

describe('a plugin that fails to start causes one clear error', () => {
  test('when it is not executable', async () => {
    expect(await messageOfFailure(start('', { mode: 0o644 }))).toContain('not executable')
  })

  test('when it ends before it prints its port, with its last lines', async () => {
    const message = await messageOfFailure(start('echo no licence >&2; exit 3'))
    expect(message).toContain("plugin 'odd'")
    expect(message).toContain('ended before it printed its port: exit code 3')
    expect(message).toContain('  no licence')
  })

  test('when it prints invalid output', async () => {
    const message = await messageOfFailure(start('echo hello; sleep 300'))
    expect(message).toContain("printed 'hello' where its port was expected")
  })

  test('when it prints no port', async () => {
    const message = await messageOfFailure(start('sleep 300', { portTimeoutMs: 50 }))
    expect(message).toContain('did not print its port within 0.05 s')
  })

  test('when it is source code that cannot run', async () => {
    const path = join(folder, 'source')
    mkdirSync(path)
    writeFileSync(join(path, 'PulumiPlugin.yaml'), 'runtime: nodejs\n')
    const request = { name: 'odd', path, engineAddress: '', cwd: folder, env: {}, onLine: () => {} }
    const missingSdkError = {
      code: 'PLUGIN_FAILED',
      message: expect.stringContaining('@pulumi/pulumi'),
    }
    await expect(startPlugin(processes, request)).rejects.toMatchObject(missingSdkError)
    writeFileSync(join(path, 'PulumiPlugin.yaml'), 'runtime: cobol\n')
    const missingHostError = {
      code: 'RUNTIME_UNKNOWN',
      message: expect.stringContaining('language-cobol'),
    }
    await expect(startPlugin(processes, request)).rejects.toMatchObject(missingHostError)
    writeFileSync(join(path, 'PulumiPlugin.yaml'), 'runtime: go\nrequiredPulumiVersion: "<3.0.0"\n')
    const versionError = {
      code: 'PLUGIN_FAILED',
      message: expect.stringContaining('does not satisfy'),
    }
    await expect(startPlugin(processes, request)).rejects.toMatchObject(versionError)
  })
})

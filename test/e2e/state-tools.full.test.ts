import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { initDevStack, upArgs } from './exported-state.ts'
import { findFilesWith } from './find-files-with.ts'
import { createSandbox, requireSuccess } from './sandbox.ts'

const secret = 'swordfish-7f3a'
const withDevStack = (...args: string[]): string[] => [...args, '-s', 'dev']

test('state edit publishes a valid change, and changes nothing after an error', async () => {
  const sandbox = createSandbox('many')
  const edit = (editor: string, ...more: string[]) =>
    sandbox.run(withDevStack('state', 'edit', '--editor', editor, ...more))
  try {
    await initDevStack(sandbox)
    requireSuccess(await sandbox.run(upArgs, { env: { COUNT: '6', DELAY: '0' } }))
    const before = await sandbox.exportState()
    expect((await edit('true')).err).toContain('--yes must be passed in')
    expect((await edit('true', '-y')).err).toContain('The state is unchanged.')
    const edited = requireSuccess(await edit(`sed -i 's/"id": "thing-0-1"/"id": "other-1"/'`, '-y'))
    expect(edited.err).toContain('~ id: "thing-0-1" => "other-1"')
    const after = await sandbox.exportState()
    expect(after).toContain('"id": "other-1"')
    expect(after.replace('other-1', 'thing-0-1')).toBe(before)
    for (const [editor, code] of [
      [`sed -i 's/{/[/'`, 'STATE_INVALID'],
      [`sed -i '0,/thing-3"/s/thing-3"/thing-9"/'`, 'STATE_INTEGRITY'],
      [`sed -i 's/urn:pulumi:dev::many::gold:index:Thing::thing-5"/nonsense"/'`, 'STATE_INVALID'],
      ['false', 'EDITOR_FAILED'],
    ] as const) {
      const refused = await edit(editor, '-y')
      expect([editor, refused.err]).toEqual([editor, expect.stringContaining(`error[${code}]: `)])
      const keptFile = /The edited state is kept in (\S+)/.exec(refused.err)?.[1] ?? ''
      expect(existsSync(keptFile)).toBe(true)
      expect(await sandbox.exportState()).toBe(after)
    }
    const none = await sandbox.run(withDevStack('state', 'edit', '-y'), {
      env: { EDITOR: undefined, VISUAL: undefined },
    })
    expect(none.err).toContain('error[EDITOR_FAILED]: no editor is set')
    expect((await sandbox.run(['state', 'upgrade'])).err).toContain('current format: 1')
  } finally {
    sandbox.remove()
  }
})

test('stack graph writes the graph in the format of Pulumi, and stack unselect clears the selection', async () => {
  const sandbox = createSandbox('many')
  try {
    await initDevStack(sandbox)
    requireSuccess(await sandbox.run(upArgs, { env: { COUNT: '5', DELAY: '0' } }))
    const writeGraph = async (...options: string[]): Promise<string> => {
      requireSuccess(await sandbox.run(withDevStack('stack', 'graph', 'graph.dot', ...options)))
      return readFileSync(join(sandbox.program, 'graph.dot'), 'utf8')
    }
    const whole = await writeGraph('--short-node-name', '--dot-fragment', 'rankdir=LR')
    expect(whole).toMatch(/^strict digraph \{\nrankdir=LR\n {4}Resource0 \[label="thing-0"\];\n/)
    expect(whole).toMatch(/^ {4}Resource\d+ -> Resource\d+ \[color = "#246C60"\];$/m)
    expect(whole).toMatch(/^ {4}Resource\d+ -> Resource\d+ \[color = "#AA6639"\];$/m)
    const nodes = await writeGraph('--ignore-parent-edges', '--ignore-dependency-edges')
    expect(nodes).not.toContain('->')
    expect(nodes).toContain('[label="urn:pulumi:dev::many::gold:index:Thing::thing-4"]')
    requireSuccess(await sandbox.run(['stack', 'unselect']))
    expect((await sandbox.run(['up', '--yes'])).err).toContain('error[STACK_NOT_SELECTED]: ')
  } finally {
    sandbox.remove()
  }
})

test('config cp encrypts secrets again, and config refresh restores the deployed values', async () => {
  const sandbox = createSandbox('shop')
  const run = async (...args: string[]) => requireSuccess(await sandbox.run(args)).out.trim()
  try {
    await run('stack', 'init', 'prod')
    await initDevStack(sandbox)
    await run('config', 'set', '--secret', 'password', secret, '-s', 'dev')
    await run('config', 'set', '--path', 'zones[0]', 'a', '-s', 'dev')
    await run('config', 'set', 'size', '3', '-s', 'dev')
    await run('config', 'cp', '--dest', 'prod', '-s', 'dev')
    expect(await run('config', 'get', 'password', '-s', 'prod')).toBe(secret)
    expect(await run('config', 'get', 'size', '-s', 'prod')).toBe('3')
    const prodFile = readFileSync(join(sandbox.program, 'Pulumi.prod.yaml'), 'utf8')
    expect(prodFile).not.toContain(secret)
    const unknown = await sandbox.run(['config', 'cp', 'nothing', '--dest', 'prod', '-s', 'dev'])
    expect(unknown.err).toContain('error[CONFIG_MISSING]: ')

    requireSuccess(await sandbox.run(upArgs))
    await run('config', 'set', 'size', '4', '-s', 'dev')
    await run('config', 'set', 'extra', 'x', '-s', 'dev')
    await run('config', 'rm', 'zones', '-s', 'dev')
    await run('config', 'refresh', '-s', 'dev')
    expect(await run('config', 'get', 'size', '-s', 'dev')).toBe('3')
    expect(await run('config', 'get', '--path', 'zones[0]', '-s', 'dev')).toBe('a')
    expect(await run('config', 'get', 'password', '-s', 'dev')).toBe(secret)
    expect((await sandbox.run(['config', 'get', 'extra', '-s', 'dev'])).exit).not.toBe(0)
    expect(existsSync(join(sandbox.program, 'Pulumi.dev.yaml.bak'))).toBe(true)
    await run('config', 'rm', 'password', '-s', 'dev')
    await run('config', 'refresh', '--force', '-s', 'dev')
    expect(await run('config', 'get', 'password', '-s', 'dev')).toBe(secret)
    await run('config', 'set', '--plaintext', 'password', 'public', '-s', 'dev')
    await run('config', 'refresh', '--force', '-s', 'dev')
    expect(await run('config', 'get', 'password', '-s', 'dev')).toBe(secret)
    const file = join(sandbox.program, 'Pulumi.dev.yaml')
    const restoredText = readFileSync(file, 'utf8')
    await run('config', 'refresh', '--force', '-s', 'dev')
    expect(readFileSync(file, 'utf8')).toBe(restoredText)
    rmSync(file)
    await run('config', 'refresh', '-s', 'dev')
    expect(await run('config', 'get', 'password', '-s', 'dev')).toBe(secret)
    expect(await run('config', 'get', 'size', '-s', 'dev')).toBe('3')
    expect(findFilesWith(sandbox.home, secret)).toEqual([])
    // Without the passphrase the secret of the file stays.
    const noPassphrase = { env: { PULUMI_CONFIG_PASSPHRASE: undefined } }
    requireSuccess(await sandbox.run(withDevStack('config', 'refresh', '--force'), noPassphrase))
    expect(await run('config', 'get', 'password', '-s', 'dev')).toBe(secret)
    await run('config', 'rm', 'password', '-s', 'dev')
    const warned = await sandbox.run(withDevStack('config', 'refresh', '--force'), noPassphrase)
    expect(warned.err).toMatch(/warning: '\S+:password' is a secret/)
    const [latest] = JSON.parse(await run('stack', 'history', '--json', '-s', 'dev')) as {
      config: Record<string, unknown>
    }[]
    const config = Object.entries(latest?.config ?? {})
    const valueOf = (name: string) => config.find(([key]) => key.endsWith(`:${name}`))?.[1]
    expect(valueOf('password')).toEqual({ secret: true })
    expect(valueOf('size')).toEqual({ value: '3', secret: false })
    // A secret of an earlier secrets provider cannot be restored.
    const change = ['stack', 'change-secrets-provider', 'passphrase', '-s', 'dev']
    requireSuccess(await sandbox.run(change, { input: 'another\n' }))
    const newPassphrase = { env: { PULUMI_CONFIG_PASSPHRASE: 'another' } }
    const changed = await sandbox.run(withDevStack('config', 'refresh', '--force'), newPassphrase)
    expect(changed.err).toMatch(/warning: '\S+:password' is a secret/)
  } finally {
    sandbox.remove()
  }
})

import { expect, test } from 'vitest'
import { initDevStack } from './exported-state.ts'
import { createSandbox, requireSuccess } from './sandbox.ts'

test('tags are set, listed, filtered, kept by a rename, and removed with their stack', async () => {
  const sandbox = createSandbox('many')
  const run = async (...args: string[]) => requireSuccess(await sandbox.run(args)).out.trim()
  try {
    await run('stack', 'init', 'prod')
    await initDevStack(sandbox)
    await run('stack', 'tag', 'set', 'team', 'web', '-s', 'dev')
    await run('stack', 'tag', 'set', 'cost:center', '7', '-s', 'dev')
    expect(await run('stack', 'tag', 'get', 'team', '-s', 'dev')).toBe('web')
    expect(await run('stack', 'tag', 'ls', '-s', 'dev')).toMatch(
      /^NAME +VALUE\ncost:center +7\nteam +web$/,
    )
    await run('stack', 'rename', 'test', '-s', 'dev')
    expect(JSON.parse(await run('stack', 'tag', 'ls', '--json', '-s', 'test'))).toEqual({
      'cost:center': '7',
      team: 'web',
    })
    expect(JSON.parse(await run('stack', 'ls', '--json', '--tag', 'team=web'))).toMatchObject([
      { name: 'test', tags: { team: 'web' } },
    ])
    expect(JSON.parse(await run('stack', 'ls', '--json', '--tag', 'team=x'))).toEqual([])
    await run('stack', 'tag', 'rm', 'team', '-s', 'test')
    const missing = await sandbox.run(['stack', 'tag', 'get', 'team', '-s', 'test'])
    expect(missing.err).toContain("error[DOCUMENT_UNKNOWN]: the stack 'test' has no tag 'team'")
    const invalid = await sandbox.run(['stack', 'tag', 'set', 'a b', 'x', '-s', 'test'])
    expect(invalid.err).toContain('error[API_INPUT_INVALID]: ')
    await run('stack', 'rm', '--yes', '-s', 'test')
    await run('stack', 'init', 'test')
    expect(JSON.parse(await run('stack', 'tag', 'ls', '--json', '-s', 'test'))).toEqual({})
  } finally {
    sandbox.remove()
  }
})

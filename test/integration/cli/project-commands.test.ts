import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { type CliBench, createCliBench } from './cli-bench.ts'

let bench: CliBench
beforeEach(() => {
  bench = createCliBench()
  bench.write('Pulumi.yaml', 'name: site\nruntime: nodejs\n')
  bench.write('package.json', '{"dependencies":{"left":"^1.0.0"}}')
  bench.env['PATH'] = `${join(bench.root, 'bin')}:/usr/bin:/bin`
})

/** Puts a fake npm on the PATH, which creates `node_modules` and ends with an exit code. */
function writeNpm(exit: number): void {
  bench.write('bin/npm', `#!/bin/sh\necho "from npm: $*"\nmkdir -p node_modules\nexit ${exit}\n`)
  chmodSync(join(bench.root, 'bin/npm'), 0o755)
}

describe('install', () => {
  test('runs the package manager of the program', async () => {
    writeNpm(0)
    expect(await bench.run('install')).toMatchObject({ exit: 0 })
    expect(existsSync(join(bench.root, 'node_modules'))).toBe(true)
  })

  test('installs nothing with --no-dependencies and --no-plugins', async () => {
    writeNpm(1)
    expect(await bench.run('install', '--no-dependencies', '--no-plugins')).toMatchObject({
      exit: 0,
      err: '',
    })
  })

  test('reports the output of a package manager that fails, or that is missing', async () => {
    writeNpm(3)
    expect((await bench.run('install')).err).toMatch(
      /^Running `npm install .*\nerror\[INSTALL_FAILED\]: .*exit code 3: from npm: install/,
    )
    bench.env['PATH'] = '/nonexistent'
    expect((await bench.run('install')).err).toMatch(/INSTALL_FAILED.*could not run/)
  })

  test('installs the dependencies of a policy pack', async () => {
    writeNpm(0)
    bench.write('pack/PulumiPolicy.yaml', 'runtime: nodejs\n')
    bench.write('pack/package.json', '{}')
    expect((await bench.run('-C', 'pack', 'install')).exit).toBe(0)
    expect(existsSync(join(bench.root, 'pack/node_modules'))).toBe(true)
  })
})

describe('about', () => {
  test('shows the stack, the dependencies and the names of variables without their values', async () => {
    bench.write('node_modules/left/package.json', '{"version":"1.3.0"}')
    await bench.run('stack', 'init', 'dev')
    const facts = JSON.parse((await bench.run('about', '--json')).out)
    expect(facts).toMatchObject({
      backend: { organizations: ['organization'] },
      dependencies: [{ name: 'left', version: '1.3.0' }],
      currentStack: { name: 'dev', fullyQualifiedName: 'organization/site/dev', resources: [] },
      variables: ['ANTICHAIN_HOME', 'PULUMI_CONFIG_PASSPHRASE'],
    })
    const { out } = await bench.run('about')
    expect(out).toMatch(/^Current stack +organization\/site\/dev$/m)
    expect(out).not.toContain('pass\n')
  })

  test('outside of a project reports the missing project, and succeeds', async () => {
    const { exit, err, out } = await bench.run('-C', '/', 'about')
    expect([exit, err]).toEqual([0, expect.stringContaining('warning: Failed to get')])
    expect(out).toContain('Behaves like Pulumi')
  })
})

test('console without a login names the server that has a dashboard', async () => {
  const { exit, err } = await bench.run('console')
  expect([exit, err]).toEqual([1, expect.stringContaining('antichain serve --port')])
})

test.each([
  'deploy.example.com',
  'ftp://deploy.example.com',
  'https://user@deploy.example.com',
  'https://deploy.example.com/?a=b',
])('serve refuses the public URL %s before it serves', async url => {
  const { exit, err } = await bench.run('serve', '--public-url', url)
  expect([exit, err]).toEqual([1, expect.stringContaining('--public-url takes a URL')])
  expect(err).not.toContain('Serving')
})

describe('refused commands and options', () => {
  test.each([
    [['schema', 'check', 'x'], 'pulumi schema check'],
    [['org', 'member', 'ls'], 'antichain token'],
    [['deployment', 'run', 'update'], 'antichain up'],
    [['package', 'publish', 'x'], 'registry'],
    [['up', '--neo'], 'Pulumi Cloud'],
    [['up', '--tracing', 'file:x'], 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  ])('%j names its substitute', async (args, substitute) => {
    const { exit, err } = await bench.run(...args)
    expect([exit, err]).toEqual([1, expect.stringMatching(/^error\[FEATURE_MISSING\]/)])
    expect(err.split('hint: ')[1]).toContain(substitute)
  })

  test('options of Pulumi for its display and its log have no effect', async () => {
    await bench.run('stack', 'init', 'dev')
    const options = ['--emoji', '--logflow', '--memprofilerate', '1', '--logtostderr']
    for (const command of [
      ['whoami', '--json'],
      ['stack', 'ls'],
      ['up', '-y', '-f'],
    ]) {
      const plain = await bench.run(...command)
      expect(plain.exit).toBe(0)
      expect(await bench.run(...options, ...command)).toEqual(plain)
    }
    const [plainDisplay, display] = bench.displays.map(one => JSON.stringify(one))
    expect(plainDisplay).toContain('"kind":"up"')
    expect(display).toBe(plainDisplay)
  })
})

describe('config set --type', () => {
  test('writes a number or boolean, which programs read as a text', async () => {
    await bench.run('stack', 'init', 'dev')
    await bench.run('config', 'set', '--type', 'int', 'count', '3')
    await bench.run('config', 'set', '--type', 'string', '--path', 'map.text', '3')
    await bench.run('config', 'set', 'plain', '3')
    expect(bench.read('Pulumi.dev.yaml')).toContain(
      '\nconfig:\n  site:count: 3\n  site:map:\n    text: "3"\n  site:plain: "3"\n',
    )
    expect((await bench.run('config', 'get', 'count')).out).toBe('3\n')
  })

  test('refuses a value of another type, and secrets', async () => {
    await bench.run('stack', 'init', 'dev')
    const setInt = ['config', 'set', '--type', 'int'] as const
    expect((await bench.run(...setInt, 'count', 'x')).err).toMatch(/CONFIG_INVALID.*type int/)
    expect((await bench.run(...setInt, '--secret', 'count', '3')).err).toMatch(/CLI_USAGE.*--type/)
  })
})

describe('org', () => {
  test('knows one organization', async () => {
    expect((await bench.run('org', 'get-default')).out).toBe('organization\n')
    expect((await bench.run('org', 'set-default', 'organization')).exit).toBe(0)
    expect((await bench.run('org', 'set-default', 'acme')).err).toMatch(/CLI_USAGE.*'acme'/)
  })
})

import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { type CliBench, createCliBench } from './cli-bench.ts'

let bench: CliBench
beforeEach(() => {
  bench = createCliBench()
  bench.write('bin/npm', '#!/bin/sh\nmkdir node_modules\n')
  chmodSync(join(bench.root, 'bin/npm'), 0o755)
  bench.env['PATH'] = `${join(bench.root, 'bin')}:/usr/bin:/bin`
})

test('new creates a project, a stack with its configuration, and installs dependencies', async () => {
  const { exit, out } = await bench.run('new', 'typescript', '--dir', 'app', '--yes')
  expect([exit, out]).toEqual([0, expect.stringContaining("Created project 'app'")])
  expect(bench.read('app/Pulumi.yaml')).toBe(
    'name: app\ndescription: A minimal program in TypeScript\nruntime: nodejs\n',
  )
  expect(bench.read('app/Pulumi.dev.yaml')).toContain('app:greeting: hello')
  expect(existsSync(join(bench.root, 'app/node_modules'))).toBe(true)
  expect((await bench.run('-C', 'app', 'stack', '--show-name')).out).toBe('dev\n')
})

test('new asks in a terminal for the template, the name, the description, the stack and values', async () => {
  bench.isTerminal = true
  bench.answers.push('javascript', 'shop', 'A shop', 'prod', 'hi')
  expect((await bench.run('new', '--dir', 'app')).exit).toBe(0)
  expect(bench.read('app/Pulumi.yaml')).toContain('name: shop\ndescription: A shop\n')
  expect(bench.read('app/Pulumi.prod.yaml')).toContain('shop:greeting: hi')
})

test('new --generate-only writes the files of a template, but no stack file and no dependencies', async () => {
  bench.write('template/Pulumi.yaml', 'name: ${PROJECT}\nruntime: nodejs\n')
  bench.write('template/lib/index.js', '// ${PROJECT}: ${DESCRIPTION}\n')
  bench.write('template/Pulumi.dev.yaml', 'config: {}\n')
  const args = ['--dir', 'app', '-n', 'shop', '-d', 'A shop', '--generate-only', '--yes']
  expect((await bench.run('new', './template', ...args)).exit).toBe(0)
  expect(bench.read('app/lib/index.js')).toBe('// shop: A shop\n')
  expect(existsSync(join(bench.root, 'app/Pulumi.dev.yaml'))).toBe(false)
  expect(existsSync(join(bench.root, 'app/node_modules'))).toBe(false)
})

test('new encrypts a value that the template declares as secret', async () => {
  const text = 'name: x\nruntime: yaml\ntemplate:\n  config:\n    pw: {secret: true}\n'
  bench.write('template/Pulumi.yaml', text)
  bench.env['PATH'] = '/nonexistent'
  await bench.run('new', './template', '--dir', 'app', '--yes', '-c', 'pw=s3cret', '-c', 'n=1')
  const file = bench.read('app/Pulumi.dev.yaml')
  expect(file).toMatch(/app:pw:\n {4}secure: /)
  expect(file).toContain('app:n: "1"')
})

test('new encrypts a secret of the template whose key is written with or without its namespace', async () => {
  const config = '    pw: {secret: true}\n    app:pin: {secret: true}\n'
  bench.write('template/Pulumi.yaml', `name: x\nruntime: yaml\ntemplate:\n  config:\n${config}`)
  bench.env['PATH'] = '/nonexistent'
  const pairs = ['-c', 'app:pw=s3cret', '-c', 'pin=1234']
  await bench.run('new', './template', '--dir', 'app', '--yes', ...pairs)
  const file = bench.read('app/Pulumi.dev.yaml')
  expect(file.match(/app:(?:pw|pin):\n {4}secure: /g)).toHaveLength(2)
  expect(file).not.toMatch(/(?:pw|pin): /)
})

test('new refuses what it cannot do, before it writes anything', async () => {
  bench.write('full/file', '')
  for (const [args, message] of [
    [['typescript'], '--yes must be passed in'],
    [['nothing', '--yes'], "no template 'nothing'"],
    [['https://example.com/acme', '--yes'], 'invalid address of a repository'],
    [['file:///nonexistent/repository', '--yes'], 'git cannot read the template'],
    [['bin', '--yes', '--dir', 'app'], 'has no Pulumi.yaml'],
    [['yaml', '--yes', '--dir', 'full'], 'is not empty'],
    [['yaml', '--yes', '--dir', 'full/file'], 'is not a folder'],
    [['yaml', '--yes', '--dir', 'app', '-n', 'a/b'], "'a/b' is not the name of a project"],
  ] as const) {
    const { exit, err } = await bench.run('new', ...args)
    expect([exit, err]).toEqual([1, expect.stringContaining(message)])
  }
  expect(existsSync(join(bench.root, 'app'))).toBe(false)
  expect(existsSync(join(bench.root, 'full/Pulumi.yaml'))).toBe(false)
})

test('new --list-templates lists the templates, also as `project new`', async () => {
  for (const command of [['new'], ['project', 'new']])
    expect((await bench.run(...command, '--list-templates')).out).toMatch(/^python /m)
})

test('policy new writes a pack and installs its dependencies', async () => {
  const { exit, out } = await bench.run('policy', 'new', 'typescript', '--dir', 'pack')
  expect([exit, out]).toEqual([0, expect.stringContaining('--policy-pack')])
  expect(bench.read('pack/PulumiPolicy.yaml')).toContain('runtime: nodejs')
  expect(existsSync(join(bench.root, 'pack/node_modules'))).toBe(true)
  const secondResult = await bench.run('policy', 'new', 'python', '--dir', 'pack')
  expect(secondResult.err).toContain('is not empty')
  const publishing = await bench.run('policy', 'publish', 'acme')
  expect(publishing.err).toContain('hint: Attach packs to stacks')
})

test('gen-man writes a page for each command, with its options and examples', async () => {
  expect((await bench.run('gen-man', 'man')).exit).toBe(0)
  const page = bench.read('man/antichain-stack-init.1')
  expect(page).toContain('.SH NAME\nantichain\\-stack\\-init \\- ')
  expect(page).toContain('.B \\-\\-secrets\\-provider <kind>\n')
  expect(page).toContain('.SH EXAMPLES\n.TP\n.B antichain stack init dev\n')
  expect(page).toContain('.SH SEE ALSO\n.BR antichain\\-stack (1)\n')
  expect(existsSync(join(bench.root, 'man/antichain-do.1'))).toBe(false)
})

test('package info describes a package, a module, a resource and a function', async () => {
  const properties = { size: { type: 'integer', description: 'The size.' } }
  const resource = { inputProperties: properties, requiredInputs: ['size'], properties }
  const schema = {
    name: 'ran',
    version: '1.0.0',
    resources: { 'ran:index/id:Id': resource, 'ran:sub/id:Id': { properties } },
    functions: { 'ran:sub/get:get': { inputs: { properties } } },
  }
  bench.write('ran.json', JSON.stringify(schema))
  const runInfo = async (...args: readonly string[]) => {
    const { out, err } = await bench.run('package', 'info', 'ran.json', ...args)
    return out + err
  }
  expect(await runInfo()).toMatch(/Name: ran\n.*Resources: 2\n.*sub {5}1 {10}1\n/s)
  expect(await runInfo('-m', 'sub')).toMatch(/Id\n\nFUNCTION .*\nget\n/)
  expect(await runInfo('-r', 'Id', '-m', 'index')).toContain('size*  integer  The size.')
  expect(await runInfo('-f', 'get')).toContain('Function: ran:sub/get:get')
  expect(await runInfo('-r', 'Id')).toContain('ran:index/id:Id, ran:sub/id:Id')
  expect(await runInfo('-m', 'other')).toContain("no module 'other'")
})

test('new clones the template of a git repository, without its history', async () => {
  bench.write('repository/Pulumi.yaml', 'name: ${PROJECT}\nruntime: nodejs\n')
  const git = (...args: readonly string[]): void => {
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
    execFileSync('git', [...identity, ...args], { cwd: join(bench.root, 'repository') })
  }
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '-m', 'Add a template')
  const address = `file://${join(bench.root, 'repository')}`
  expect(await bench.run('new', address, '--dir', 'app', '--yes', '-g')).toMatchObject({ exit: 0 })
  expect(bench.read('app/Pulumi.yaml')).toContain('name: app\n')
  expect(existsSync(join(bench.root, 'app/.git'))).toBe(false)
})

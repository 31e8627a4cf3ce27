import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { validate } from 'dockerfile-utils'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const sdkModules = join(root, 'test/fixtures/sdk/node_modules')
const folder = mkdtempSync(join(tmpdir(), 'antichain-package-'))
const prefix = join(folder, 'prefix')
const installed = join(prefix, 'lib/node_modules/antichain')
const program = join(folder, 'program')
/** The environment of a user: an empty home folder, and the Node that the machine has. */
const userEnv = {
  PATH: process.env['ANTICHAIN_USER_PATH'] ?? process.env['PATH'] ?? '',
  HOME: join(folder, 'home'),
  PULUMI_CONFIG_PASSPHRASE: 'open sesame',
}

/** Runs a command to its end. Expects success, and returns its standard output. */
function run(file: string, args: readonly string[], env: NodeJS.ProcessEnv = userEnv): string {
  const cwd = existsSync(program) ? program : folder
  const result = spawnSync(file, args, { cwd, env, encoding: 'utf8' })
  expect(result.status, `${file} ${args.join(' ')}: ${result.stdout}${result.stderr}`).toBe(0)
  return result.stdout
}

const antichain = (...args: readonly string[]): string => run(join(prefix, 'bin/antichain'), args)

/**
 * Installs the packed file below a prefix from npm's cache. Only a machine without the package of
 * Node in its cache asks the registry.
 */
function installGlobally(): void {
  const options = ['--global', '--prefix', prefix, '--no-audit', '--no-fund', '--ignore-scripts']
  const env = { ...process.env, PATH: userEnv.PATH }
  run('npm', ['install', ...options, '--offline', packedFile], env)
  const hasNode = existsSync(join(installed, `node_modules/node-linux-${process.arch}`))
  if (!hasNode) run('npm', ['install', ...options, '--prefer-offline', packedFile], env)
}

const listFiles = (): readonly string[] =>
  readdirSync(installed, { recursive: true, encoding: 'utf8' }).sort()

let packedFile = ''

beforeAll(() => {
  const bootstrap = join(root, 'cli/bootstrap.mjs')
  packedFile = run(process.execPath, [bootstrap, 'package'], process.env).trim()
  installGlobally()
  mkdirSync(userEnv.HOME)
}, 300_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('an installed package has bundles and no source, no test and no other package than Node', () => {
  const files = listFiles()
  expect(files).toContain('dist/dashboard/index.html')
  expect(files).toContain('proto/pulumi/provider.proto')
  expect(files.filter(name => /\.tsx?$/.test(name))).toEqual([])
  const packages = readdirSync(join(installed, 'node_modules'))
  expect(packages.filter(name => !name.startsWith('.'))).toEqual([
    `node-${process.platform}-${process.arch}`,
  ])
})

test('an installed package deploys a new program and serves the dashboard without changing its files, and its doctor finds a changed file', async () => {
  const filesBefore = listFiles()
  expect(antichain('--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
  antichain('new', 'javascript', '--generate-only', '--yes', '--name', 'note', '--dir', program)
  symlinkSync(sdkModules, join(program, 'node_modules'))
  writeFileSync(
    join(program, 'index.js'),
    `const { dynamic } = require('@pulumi/pulumi')
    class Note extends dynamic.Resource {
      constructor(name, inputs) {
        super({ create: async outs => ({ id: 'note-1', outs }) }, name, inputs)
      }
    }
    exports.text = new Note('note', { text: 'The ferry leaves at eight.' }).text\n`,
  )
  antichain('stack', 'init', 'dev')
  antichain('up', '--yes', '--skip-preview')
  expect(JSON.parse(antichain('stack', 'output', '--json'))).toEqual({
    text: 'The ferry leaves at eight.',
  })
  const server = spawn(join(prefix, 'bin/antichain'), ['serve', '--port', '0'], { env: userEnv })
  try {
    const page = await fetch(await readAddress(server))
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('<title>')
  } finally {
    const exit = new Promise(end => server.on('exit', end))
    server.kill('SIGINT')
    await exit
  }
  expect(listFiles()).toEqual(filesBefore)
  expect(antichain('doctor')).toContain('Found no problems.')
  appendFileSync(join(installed, 'dist/dashboard/index.html'), ' ')
  const doctor = spawnSync(join(prefix, 'bin/antichain'), ['doctor', '--json'], { env: userEnv })
  expect(doctor.status).toBe(1)
  expect(JSON.parse(String(doctor.stdout))).toMatchObject({
    findings: [{ area: 'installation', problem: expect.stringContaining('dashboard/index.html') }],
  })
})

test('the command of the container image installs the package, which then runs on the Node of the image', () => {
  const text = readFileSync(join(root, 'infra/container/Containerfile'), 'utf8')
  expect(validate(text)).toEqual([])
  const [command = ''] = /npm install[^]*?antichain.tgz$/m.exec(text) ?? []
  expect(command).toContain('rm -rf')
  const imagePrefix = join(folder, 'image')
  const copiedFile = join(folder, 'antichain.tgz')
  copyFileSync(packedFile, copiedFile)
  const env = {
    ...process.env,
    PATH: `${dirname(process.execPath)}:${userEnv.PATH}`,
    npm_config_prefix: imagePrefix,
    npm_config_offline: 'true',
  }
  run('sh', ['-c', command.replaceAll('/tmp/antichain.tgz', copiedFile)], env)
  expect(existsSync(join(imagePrefix, 'lib/node_modules/antichain/node_modules'))).toBe(false)
  expect(run(join(imagePrefix, 'bin/antichain'), ['--version'], env)).toMatch(/^\d/)
  expect(existsSync(copiedFile)).toBe(false)
  expect(text).toContain('FROM docker.io/library/node:24-')
})

/** Returns the address of the dashboard, which the server prints when it listens. */
async function readAddress(server: ChildProcess): Promise<string> {
  let output = ''
  for await (const chunk of server.stderr ?? []) {
    output += String(chunk)
    const address = /dashboard is at (\S+)/.exec(output)?.[1]
    if (address !== undefined) return address
  }
  throw new Error(`the server has ended: ${output}`)
}

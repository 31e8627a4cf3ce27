/**
 * emulators: servers that stand in for AWS services on one machine, for tests and for the local
 * cloud. Imports config, errors, ports and the system's processes; nothing of the product imports
 * it.
 *
 * Invariants: each is installed through its own package client, at an exact version, into a folder
 * outside the repository that is named after that version; each listens on loopback only, on a
 * port that was free, and dies with the process that started it.
 */
import { join } from 'node:path'

/** Services by the word in their variable: `ANTICHAIN_SQS_ENDPOINT`. */
export type Service = 'DYNAMODB' | 'SQS' | 'S3' | 'KMS' | 'SCHEDULER' | 'STS'

/** A command with its words. */
export type CommandLine = readonly string[]

/** One server: how it is installed and how it is started. */
export interface EmulatorRow {
  readonly name: string
  readonly version: string
  readonly services: readonly Service[]
  /** The toolchain that it needs, as people call it, and its commands. */
  readonly toolchain: string
  readonly tools: readonly string[]
  /** Those of them that it needs also once it is installed. */
  readonly runsOn: readonly string[]
  /** What takes so long when it is installed for the first time. */
  readonly takes: string
  /** A path in its folder that is there once, and only when, it is installed. */
  readonly proof: string
  /** Files that its installation needs, by their name. */
  readonly files?: Readonly<Record<string, string>>
  readonly install: (folder: string) => readonly CommandLine[]
  readonly start: (at: {
    /** Where it is installed. */
    readonly folder: string
    /** An empty folder of this run. */
    readonly scratch: string
    readonly port: number
  }) => {
    readonly command: CommandLine
    /** Written into `scratch` before. */
    readonly files?: Readonly<Record<string, string>>
    /** Folders to make in `scratch` before. */
    readonly folders?: readonly string[]
  }
}

/** What clients of the emulators say of themselves; versitygw checks the signatures. */
export const emulatorCredentials = {
  AWS_ACCESS_KEY_ID: 'fake',
  AWS_SECRET_ACCESS_KEY: 'fakefake',
  AWS_REGION: 'us-east-1',
} as const

/** Why these four, and what each cannot do: docs/emulators.md. */
export const emulators: readonly EmulatorRow[] = [
  {
    name: 'dynoxide',
    version: '3.2.0',
    services: ['DYNAMODB'],
    toolchain: 'Rust',
    tools: ['cargo'],
    runsOn: [],
    takes: 'about four minutes',
    proof: 'bin/dynoxide',
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
    runsOn: ['java'],
    takes: 'up to a minute',
    proof: 'lib',
    files: { 'pom.xml': elasticmqPomOf('1.7.1') },
    // Moved as a whole, so that half a set of jars is none.
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
    runsOn: [],
    takes: 'a minute or two',
    proof: 'bin/versitygw',
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
    services: ['KMS', 'SCHEDULER', 'STS'],
    toolchain: 'Python 3',
    tools: ['python3'],
    runsOn: ['python3'],
    takes: 'a minute',
    proof: 'installed',
    install: folder => [
      ['python3', '-m', 'venv', '--clear', join(folder, 'venv')],
      [
        ...[join(folder, 'venv/bin/pip'), 'install', '--quiet'],
        ...['--disable-pip-version-check', 'moto[server]==5.2.5'],
      ],
      ['touch', join(folder, 'installed')],
    ],
    start: ({ folder, port }) => ({
      command: [join(folder, 'venv/bin/moto_server'), '-H', '127.0.0.1', '-p', String(port)],
    }),
  },
]

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

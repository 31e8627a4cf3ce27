/**
 * A converter and a language host in one process, for tests. The converter writes a program with
 * the names of its source files. The host writes a program and the project's fields into one file.
 * It also writes SDKs, and a file with the SDKs of a program.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type sendUnaryData, Server, ServerCredentials } from '@grpc/grpc-js'
import { DiagnosticSeverity } from '../../../proto/gen/pulumi/codegen/hcl.ts'
import {
  ConverterService,
  type ConvertProgramRequest,
  ConvertProgramResponse,
} from '../../../proto/gen/pulumi/converter.ts'
import {
  type GeneratePackageRequest,
  GeneratePackageResponse,
  type GenerateProjectRequest,
  GenerateProjectResponse,
  LanguageRuntimeService,
  type LinkRequest,
  LinkResponse,
} from '../../../proto/gen/pulumi/language.ts'

const server = new Server()
server.addService(ConverterService, {
  convertProgram: (
    { request }: { request: ConvertProgramRequest },
    reply: sendUnaryData<ConvertProgramResponse>,
  ) => {
    const { sourceDirectory, targetDirectory, args } = request
    const severity = args.includes('bad')
      ? DiagnosticSeverity.DIAG_ERROR
      : DiagnosticSeverity.DIAG_WARNING
    const names = readdirSync(sourceDirectory).filter(name => name.endsWith('.toy'))
    writeFileSync(join(targetDirectory, 'main.pp'), `# ${names.join(' ')}\n`)
    writeFileSync(join(targetDirectory, 'asset.txt'), 'asset\n')
    const diagnostics = [{ severity, summary: 'not translated', detail: 'line 3' }]
    reply(null, ConvertProgramResponse.create({ diagnostics }))
  },
})
server.addService(LanguageRuntimeService, {
  generateProject: (
    { request }: { request: GenerateProjectRequest },
    reply: sendUnaryData<GenerateProjectResponse>,
  ) => {
    const program = readFileSync(join(request.sourceDirectory, 'main.pp'), 'utf8')
    writeFileSync(join(request.targetDirectory, 'main.txt'), `${program}${request.project}\n`)
    reply(null, GenerateProjectResponse.create({}))
  },
  generatePackage: (
    { request }: { request: GeneratePackageRequest },
    reply: sendUnaryData<GeneratePackageResponse>,
  ) => {
    const { directory, schema, local } = request
    const isBad = schema.includes('bad')
    mkdirSync(join(directory, 'shop'))
    writeFileSync(join(directory, 'shop/sdk.txt'), `local: ${local}\n${schema}\n`)
    writeFileSync(join(directory, 'shop/logo.png'), Uint8Array.of(0x89, 0x50, 0xff, 0x00))
    writeFileSync(join(directory, 'shop/build.sh'), '#!/bin/sh\n', { mode: 0o755 })
    const diagnostic = { severity: DiagnosticSeverity.DIAG_ERROR, summary: 'bad', detail: 'name' }
    reply(null, GeneratePackageResponse.create({ diagnostics: isBad ? [diagnostic] : [] }))
  },
  link: ({ request }: { request: LinkRequest }, reply: sendUnaryData<LinkResponse>) => {
    const lines = request.packages.map(linked => `${linked.package?.name} ${linked.path}\n`)
    writeFileSync(join(request.info?.programDirectory ?? '', 'links.txt'), lines.join(''))
    reply(null, LinkResponse.create({ importInstructions: 'Import it with:\n\n  use shop\n' }))
  },
})
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (failure, port) => {
  if (failure !== null) throw failure
  process.stdout.write(`${port}\n`)
})

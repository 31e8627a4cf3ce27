/**
 * The language host of Node programs for tests with Pulumi's own command line. It takes the place
 * of Pulumi's host, of which no package registry has a build. The program and its SDK are the real
 * ones.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { Server, ServerCredentials, type sendUnaryData, type ServerUnaryCall } from '@grpc/grpc-js'
import {
  GetRequiredPackagesResponse,
  LanguageRuntimeService,
  type RunRequest,
  RunResponse,
} from '../../proto/gen/pulumi/language.ts'
import { PluginInfo } from '../../proto/gen/pulumi/plugin.ts'

const engineAddress = process.argv.at(-1) ?? ''

/** The exit code with which the SDK's runner reports that it has shown its error itself. */
const reportedErrorCode = 32

function runProgram(request: RunRequest): Promise<RunResponse> {
  const { info, monitorAddress, organization, project, stack, parallel, dryRun } = request
  const programFolder = info?.programDirectory ?? request.pwd
  const flags = {
    '--monitor': monitorAddress,
    '--engine': engineAddress,
    '--organization': organization,
    '--project': project,
    '--root-directory': info?.rootDirectory ?? programFolder,
    '--stack': stack,
    '--pwd': programFolder,
    '--parallel': String(parallel),
  }
  const args = [
    join(programFolder, 'node_modules/@pulumi/pulumi/cmd/run'),
    ...Object.entries(flags).flat(),
    ...(dryRun ? ['--dry-run'] : []),
    info?.entryPoint ?? '.',
  ]
  const env = {
    ...process.env,
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.config)),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.configSecretKeys),
  }
  // The engine reads the port of this host from its standard output, so the program uses stderr.
  const program = spawn('node', args, { cwd: programFolder, env, stdio: ['ignore', 2, 2] })
  return new Promise(resolve =>
    program.on('close', code => {
      if (code === 0) resolve(RunResponse.create({}))
      else if (code === reportedErrorCode) resolve(RunResponse.create({ bail: true }))
      else resolve(RunResponse.create({ error: `the program ended with the exit code ${code}` }))
    }),
  )
}

function createUnaryHandler<Request, Response>(
  answer: (request: Request) => Response | Promise<Response>,
) {
  return (call: ServerUnaryCall<Request, Response>, done: sendUnaryData<Response>): void => {
    Promise.resolve(answer(call.request)).then(
      response => done(null, response),
      (thrown: Error) => done(thrown),
    )
  }
}

const server = new Server()
server.addService(LanguageRuntimeService, {
  getRequiredPackages: createUnaryHandler(() => GetRequiredPackagesResponse.create({})),
  getPluginInfo: createUnaryHandler(() => PluginInfo.create({ version: '3.0.0' })),
  run: createUnaryHandler(runProgram),
})
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (bindError, port) => {
  if (bindError !== null) throw bindError
  process.stdout.write(`${port}\n`)
})

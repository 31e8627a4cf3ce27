/** A policy pack as a separate process, for tests. Its results depend on the names of resources. */
import { Server, ServerCredentials, status } from '@grpc/grpc-js'
import {
  type AnalyzeRequest,
  AnalyzerInfo,
  AnalyzerService as service,
  AnalyzeResponse,
  type AnalyzerStackConfigureRequest,
  type AnalyzeStackRequest,
  type ConfigureAnalyzerRequest,
  RemediateResponse,
} from '../../../proto/gen/pulumi/analyzer.ts'

/** The configured project and stack, and the value of `shop:zone`. */
let stackText = ''
let level = 0
let max: unknown

const createDiagnostic = (urn: string, message: string) => ({
  policyName: 'short',
  policyPackName: 'fixture',
  policyPackVersion: '0.1.0',
  description: '',
  message,
  enforcementLevel: level as 0,
  urn,
  severity: 0 as const,
})

const answers: Record<string, (request: never) => unknown> = {
  configureStack: (request: AnalyzerStackConfigureRequest) => {
    stackText = `${request.project}/${request.stack} ${request.config.get('shop:zone')}`
    return {}
  },
  getAnalyzerInfo: () =>
    AnalyzerInfo.create({
      name: 'fixture',
      version: '0.1.0',
      supportsConfig: true,
      policies: [
        {
          name: 'short',
          displayName: '',
          description: '',
          message: '',
          enforcementLevel: 0,
          configSchema: { properties: { max: { type: 'number', default: 3 } }, required: [] },
          policyType: 1,
          severity: 3,
          framework: undefined,
          tags: [],
          remediationSteps: '',
          url: '',
        },
      ],
    }),
  configure: ({ policyConfig }: ConfigureAnalyzerRequest) => {
    level = policyConfig.get('short')?.enforcementLevel ?? 0
    max = policyConfig.get('short')?.properties?.['max']
    return {}
  },
  analyze: ({ name, urn, properties }: AnalyzeRequest) => {
    if (name === 'throws') throw new Error('the policy threw')
    if (name === 'dies') process.exit(5)
    const message = `${stackText}: ${name} over ${JSON.stringify(max)}, ${Object.keys(properties ?? {}).join()}`
    return AnalyzeResponse.create({ diagnostics: [createDiagnostic(urn, message)] })
  },
  remediate: ({ properties }: AnalyzeRequest) =>
    RemediateResponse.create({
      remediations: [
        { ...createDiagnostic('', ''), diagnostic: '', properties: { ...properties, added: true } },
      ],
    }),
  analyzeStack: ({ resources }: AnalyzeStackRequest) =>
    AnalyzeResponse.create({
      diagnostics: [createDiagnostic('', `${resources.length} resources`)],
    }),
  cancel: () => ({}),
}

const server = new Server()
const handlers = Object.entries(answers).map(([name, answer]) => [
  name,
  (call: { request: never }, reply: (failure: unknown, value?: unknown) => void) => {
    try {
      reply(null, answer(call.request))
    } catch (thrown) {
      reply({ code: status.UNKNOWN, details: String(thrown) })
    }
  },
])
server.addService(service, Object.fromEntries(handlers))
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (_failure, port) => {
  process.stdout.write(`${port}\n`)
})

import { Stack } from 'aws-cdk-lib'
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway'
import {
  HttpApi,
  HttpMethod,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { FunctionUrlAuthType, InvokeMode } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import type { Settings } from '../settings.ts'
import { createLogs, type DeployedFunction } from './functions.ts'
import { createTaggedScope } from './create-tagged-scope.ts'

/** The public addresses. */
export interface Addresses {
  /** The address of the API, for `antichain login`. */
  readonly apiUrl: string
  /** The address for Pulumi's own command line, for `pulumi login`. */
  readonly serviceUrl: string
  /** The common part of webhook addresses: an address ends with the name of its webhook. */
  readonly webhookUrl: string
  readonly webhookApiId: string
}

/**
 * Creates the addresses of the API, of the service for Pulumi's command line, and of webhooks. API
 * and service have a function URL, because a function URL can stream events and large states.
 * Webhooks have an HTTP API, because an HTTP API rejects excess requests before a function runs.
 * None of them authenticates callers: the functions check tokens and signatures.
 */
export function createEndpoints(
  scope: Construct,
  settings: Settings,
  functions: Readonly<Record<'api' | 'service' | 'webhook', DeployedFunction>>,
): Addresses {
  const part = createTaggedScope(scope, 'Api')
  const webhookApi = createWebhookApi(part, settings, functions.webhook)
  const [apiAddress, serviceAddress] = [functions.api, functions.service].map(deployed =>
    deployed.function.addFunctionUrl({
      authType: FunctionUrlAuthType.NONE,
      invokeMode: InvokeMode.RESPONSE_STREAM,
    }),
  )
  const { region, urlSuffix } = Stack.of(scope)
  return {
    apiUrl: apiAddress?.url ?? '',
    serviceUrl: serviceAddress?.url ?? '',
    webhookUrl: `https://${webhookApi.apiId}.execute-api.${region}.${urlSuffix}/hooks/`,
    webhookApiId: webhookApi.apiId,
  }
}

function createWebhookApi(part: Construct, settings: Settings, webhook: DeployedFunction): HttpApi {
  const webhookApi = new HttpApi(part, 'Webhooks', {
    apiName: `${settings.installation}-webhooks`,
    createDefaultStage: false,
  })
  webhookApi.addRoutes({
    path: '/hooks/{hook}',
    methods: [HttpMethod.POST],
    integration: new HttpLambdaIntegration('Webhook', webhook.function),
  })
  new HttpStage(part, 'Stage', {
    httpApi: webhookApi,
    stageName: '$default',
    autoDeploy: true,
    throttle: {
      rateLimit: settings.webhooksPerSecond,
      burstLimit: settings.webhooksPerSecond * 2,
    },
    accessLogSettings: {
      destination: new LogGroupLogDestination(
        createLogs(part, 'AccessLogs', 'webhooks-access', settings),
      ),
      format: AccessLogFormat.custom(JSON.stringify(accessLine)),
    },
  })
  return webhookApi
}

/**
 * The access log entry of a request. It contains nothing of the body, and nothing of the headers,
 * because headers can contain signatures.
 */
const accessLine = {
  requestId: '$context.requestId',
  time: '$context.requestTime',
  ip: '$context.identity.sourceIp',
  route: '$context.routeKey',
  status: '$context.status',
  bytes: '$context.responseLength',
  error: '$context.error.message',
}

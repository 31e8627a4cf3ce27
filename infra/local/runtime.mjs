/**
 * What runs in an environment of the local cloud: the part of Lambda's Node runtime that functions
 * rely on. Asks the Runtime API for work, hands it to the bundle's handler, and gives the answer
 * back. Plain JavaScript without dependencies, as it stands beside the bundle and not in it.
 */
import { request } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [host, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(':')
const version = '/2018-06-01/runtime'

/** One request to the Runtime API; waiting for work takes as long as it takes. */
function ask(method, path, body) {
  return new Promise((resolve, failed) => {
    const headers = { 'content-type': 'application/json' }
    const asked = request({ host, port, method, path: version + path, headers, timeout: 0 })
    asked.once('error', failed)
    asked.once('response', async reply => {
      const chunks = []
      for await (const chunk of reply) chunks.push(chunk)
      resolve({ headers: reply.headers, text: Buffer.concat(chunks).toString() })
    })
    asked.end(body)
  })
}

function toldError(thrown) {
  const isError = thrown instanceof Error
  return JSON.stringify({
    errorType: isError ? thrown.name : 'Error',
    errorMessage: isError ? thrown.message : String(thrown),
    stackTrace: isError ? String(thrown.stack).split('\n') : [],
  })
}

function contextOf(headers) {
  const deadlineMs = Number(headers['lambda-runtime-deadline-ms'])
  return {
    awsRequestId: headers['lambda-runtime-aws-request-id'],
    invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: process.env.AWS_LAMBDA_FUNCTION_VERSION,
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
    getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()),
  }
}

async function loadHandler() {
  const [file, name] = process.env._HANDLER.split('.')
  const loaded = await import(pathToFileURL(join(process.env.LAMBDA_TASK_ROOT, `${file}.mjs`)).href)
  const { [name]: handler } = loaded
  if (typeof handler !== 'function') throw new Error(`${process.env._HANDLER} is no function`)
  return handler
}

async function serve(handler) {
  for (;;) {
    const { headers, text } = await ask('GET', '/invocation/next')
    const id = headers['lambda-runtime-aws-request-id']
    const context = contextOf(headers)
    try {
      const answer = await handler(JSON.parse(text), context)
      await ask('POST', `/invocation/${id}/response`, JSON.stringify(answer ?? null))
    } catch (thrown) {
      await ask('POST', `/invocation/${id}/error`, toldError(thrown))
    }
  }
}

let handler
try {
  handler = await loadHandler()
} catch (thrown) {
  await ask('POST', '/init/error', toldError(thrown))
  process.exit(1)
}
await serve(handler)

/**
 * The runtime of an environment in the local cloud: the part of Lambda's Node runtime on which
 * functions rely. The runtime polls the Runtime API for calls, passes each event to the bundle's
 * handler, and returns the result. Plain JavaScript without dependencies, because this file is not
 * part of a bundle.
 */
import { request } from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pathToFileURL } from 'node:url'

const [host, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(':')
const version = '/2018-06-01/runtime'

/** Sends one request to the Runtime API. No request has a timeout, because a poll may wait. */
function callRuntimeApi(method, path, body) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const outgoing = request({ host, port, method, path: version + path, headers, timeout: 0 })
    outgoing.once('error', reject)
    outgoing.once('response', async reply => {
      const chunks = []
      for await (const chunk of reply) chunks.push(chunk)
      resolve({ headers: reply.headers, text: Buffer.concat(chunks).toString() })
    })
    outgoing.end(body)
  })
}

function errorPayloadOf(thrown) {
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
  const bundle = await import(pathToFileURL(join(process.env.LAMBDA_TASK_ROOT, `${file}.mjs`)).href)
  const { [name]: handler } = bundle
  if (typeof handler !== 'function') throw new Error(`${process.env._HANDLER} is not a function`)
  return handler
}

/** The property of a handler that streams its response. */
const streaming = Symbol.for('aws.lambda.runtime.handler.streaming')

/**
 * The global object that Lambda's Node runtime adds. Source: Lambda's page on response streaming.
 */
globalThis.awslambda = {
  streamifyResponse: handler => Object.assign(handler, { [streaming]: 'response' }),
  HttpResponseStream: {
    from: (stream, head) => {
      stream.setContentType('application/vnd.awslambda.http-integration-response')
      // Eight zero bytes end the head, because JSON cannot contain them.
      stream.write(JSON.stringify(head))
      stream.write(Buffer.alloc(8))
      return stream
    },
  },
}

/** Creates a stream whose bytes go to the Runtime API as soon as the handler writes them. */
function createAnswerStream(id) {
  const stream = new PassThrough()
  const finished = Promise.withResolvers()
  let type = 'application/octet-stream'
  let responseRequest
  stream.setContentType = contentType => {
    type = contentType
  }
  // `readable` is also emitted for an empty stream, so that an empty response is sent too.
  stream.once('readable', () => {
    responseRequest = request({
      ...{ host, port, method: 'POST', path: `${version}/invocation/${id}/response`, timeout: 0 },
      headers: {
        'content-type': type,
        'lambda-runtime-function-response-mode': 'streaming',
        'transfer-encoding': 'chunked',
        trailer: 'Lambda-Runtime-Function-Error-Type, Lambda-Runtime-Function-Error-Body',
      },
    })
    responseRequest.once('response', reply => {
      reply.resume()
      reply.once('close', finished.resolve)
    })
    responseRequest.once('error', () => {
      // The Runtime API has stopped reading the response.
      stream.destroy()
      finished.resolve()
    })
    stream.pipe(responseRequest)
  })
  // The error is ignored. A handler that continues to write is notified by the event `close`.
  stream.on('error', () => undefined)
  return {
    stream,
    finished: finished.promise,
    /** Reports an error after the sent part. Returns false when no response has begun. */
    breakOff: async thrown => {
      if (responseRequest === undefined) return false
      stream.unpipe(responseRequest)
      const { errorType, ...otherFields } = JSON.parse(errorPayloadOf(thrown))
      responseRequest.addTrailers({
        'Lambda-Runtime-Function-Error-Type': errorType,
        'Lambda-Runtime-Function-Error-Body': Buffer.from(
          JSON.stringify({ errorType, ...otherFields }),
        ).toString('base64'),
      })
      responseRequest.end()
      await finished.promise
      return true
    },
  }
}

async function answerByStream(handler, event, context) {
  const { stream, finished, breakOff } = createAnswerStream(context.awsRequestId)
  try {
    await handler(event, stream, context)
    await finished
  } catch (thrown) {
    if (!(await breakOff(thrown))) throw thrown
  }
}

async function serve(handler) {
  for (;;) {
    const { headers, text } = await callRuntimeApi('GET', '/invocation/next')
    const id = headers['lambda-runtime-aws-request-id']
    const context = contextOf(headers)
    // SDKs read the trace header from this variable, and send it with their requests.
    process.env._X_AMZN_TRACE_ID = headers['lambda-runtime-trace-id']
    try {
      const event = JSON.parse(text)
      if (handler[streaming] === 'response') await answerByStream(handler, event, context)
      else {
        const answer = await handler(event, context)
        await callRuntimeApi('POST', `/invocation/${id}/response`, JSON.stringify(answer ?? null))
      }
    } catch (thrown) {
      await callRuntimeApi('POST', `/invocation/${id}/error`, errorPayloadOf(thrown))
    }
  }
}

let handler
try {
  handler = await loadHandler()
} catch (thrown) {
  await callRuntimeApi('POST', '/init/error', errorPayloadOf(thrown))
  process.exit(1)
}
await serve(handler)

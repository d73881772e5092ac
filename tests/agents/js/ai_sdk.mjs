// The Vercel AI SDK asks Nearloop: PROVIDER DOES ROOT TOKEN MODEL. Prints what it got as JSON.
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { embedMany, generateText, isStepCount, Output, streamText, tool } from 'ai'
import { z } from 'zod'

const [provider, does, root, token, name] = process.argv.slice(2)
const settings = { baseURL: `${root}/v1`, apiKey: token }
const openai = createOpenAI(settings)
const compatible = createOpenAICompatible({
  ...settings,
  name: 'nearloop',
  includeUsage: true,
  supportsStructuredOutputs: true,
})
const models = {
  'openai-responses': () => openai.responses(name),
  'openai-chat': () => openai.chat(name),
  'openai-compatible': () => compatible.chatModel(name),
  anthropic: () => createAnthropic(settings)(name),
}
const model = models[provider]()
const asked = { model, maxRetries: 0, system: 'Be brief.', prompt: 'What is in a and b? ünïcode ✓' }

const files = { a: 'alpha — "quoted"\n\tand ünïcode ✓', b: 'beta' }
const tools = {
  read: tool({
    description: 'Read a file',
    inputSchema: z.object({ file: z.string() }),
    execute: async ({ file }) => {
      if (!(file in files)) throw new Error(`no file ${file}`)
      return files[file]
    },
  }),
}
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const told = (result, usage, steps) => ({
  text: result.text,
  reason: result.finishReason,
  thought: result.reasoningText ?? null,
  usage: { input: usage.inputTokens, output: usage.outputTokens },
  steps: steps.map((step) => ({
    calls: step.toolCalls.map((call) => [call.toolCallId, call.toolName, call.input]),
    results: step.toolResults.map((each) => [each.toolCallId, each.output]),
  })),
})
const whole = async (more = {}) => {
  const result = await generateText({ ...asked, ...more })
  return told(result, result.usage, result.steps)
}
const streamed = async (more = {}) => {
  const errors = []
  const result = streamText({ ...asked, onError: ({ error }) => errors.push(String(error.message ?? error)), ...more })
  const pieces = []
  for await (const piece of result.textStream) pieces.push(piece)
  if (errors.length) return { pieces, errors }
  const [text, finishReason, reasoningText, usage, steps] = await Promise.all([
    result.text,
    result.finishReason,
    result.reasoningText,
    result.usage,
    result.steps,
  ])
  return { ...told({ text, finishReason, reasoningText }, usage, steps), pieces }
}
const looping = { tools, stopWhen: isStepCount(6) }
const City = z.object({ city: z.string(), sights: z.array(z.string()) })

const all = {
  whole,
  streamed,
  'tools-whole': () => whole(looping),
  'tools-streamed': () => streamed(looping),
  'tool-that-has-to': () => whole({ tools, toolChoice: { type: 'tool', toolName: 'read' } }),
  thinking: () => streamed({ reasoning: 'high', ...looping }),
  object: async () => (await generateText({ ...asked, output: Output.object({ schema: City }) })).output,
  'object-streamed': async () => {
    const result = streamText({ ...asked, output: Output.object({ schema: City }) })
    let seen = 0
    for await (const _ of result.partialOutputStream) seen += 1
    return { seen, output: await result.output }
  },
  picture: () =>
    whole({
      prompt: undefined,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'file', mediaType: 'image/png', data: Buffer.from(PIXEL, 'base64') },
          ],
        },
      ],
    }),
  vectors: async () => {
    const made = provider === 'openai-compatible' ? compatible : openai
    const result = await embedMany({ model: made.embeddingModel(name), values: ['a cat', 'a kitten', 'the stock market'] })
    return { sizes: result.embeddings.map((each) => each.length), vectors: result.embeddings }
  },
  'hangs-up': async () => {
    const stop = new AbortController()
    const result = streamText({ ...asked, abortSignal: stop.signal })
    const heard = []
    for await (const part of result.stream) {
      if (part.type === 'text-delta') stop.abort()
      heard.push(part.type)
    }
    return heard
  },
  'tries-again': () => whole({ maxRetries: 1 }),
}
try {
  console.log(JSON.stringify({ got: await all[does]() }))
} catch (error) {
  const last = error.lastError ?? error
  const { statusCode, isRetryable, responseHeaders, message } = last
  console.log(JSON.stringify({ failed: { status: statusCode, again: isRetryable, headers: responseHeaders, message } }))
}

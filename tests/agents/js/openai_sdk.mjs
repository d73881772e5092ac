// OpenAI's own SDK for JavaScript asks Nearloop: DOES ROOT TOKEN MODEL. Prints what it got as JSON.
import OpenAI from 'openai'

const [does, root, token, model] = process.argv.slice(2)
const client = new OpenAI({ baseURL: `${root}/v1`, apiKey: token, maxRetries: 0 })
const files = { a: 'alpha — "quoted"\n\tand ünïcode ✓', b: 'beta' }
const parameters = { type: 'object', properties: { file: { type: 'string' } }, required: ['file'], additionalProperties: false }
const messages = [{ role: 'user', content: 'What is in a and b?' }]

const all = {
  chat: async () => {
    const runner = client.chat.completions.runTools({
      model,
      messages,
      stream: true,
      tools: [
        {
          type: 'function',
          function: { name: 'read', parameters, parse: JSON.parse, function: ({ file }) => files[file] },
        },
      ],
    })
    const text = await runner.finalContent()
    return { text, usage: await runner.totalUsage() }
  },
  responses: async () => {
    const input = [...messages]
    const types = new Set()
    for (;;) {
      const tools = [{ type: 'function', name: 'read', parameters, strict: true }]
      const stream = client.responses.stream({ model, input, tools })
      for await (const event of stream) types.add(event.type)
      const final = await stream.finalResponse()
      const calls = final.output.filter((item) => item.type === 'function_call')
      if (!calls.length) return { text: final.output_text, types: [...types], usage: final.usage }
      input.push(...final.output)
      for (const call of calls) {
        const { file } = JSON.parse(call.arguments)
        input.push({ type: 'function_call_output', call_id: call.call_id, output: files[file] })
      }
    }
  },
  models: async () => {
    const names = []
    for await (const each of client.models.list()) names.push(each.id)
    return names
  },
}
console.log(JSON.stringify(await all[does]()))

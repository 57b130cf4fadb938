// A bare Fastify route that responds with a text of a given size: the upper bound for status reads.
import fastify from 'fastify'

const app = fastify()
const text = 'x'.repeat(Number(process.argv[2]))
app.get('/jobs/:jobId/status', (_request, reply) =>
  reply.type('application/json; charset=utf-8').send(`{"text":"${text}"}`),
)
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))

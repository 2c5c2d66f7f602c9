"""A model behind HTTP, with the standard library alone.

  GET  /health      the process lives
  GET  /ready       the model is loaded
  GET  /model-info  what it is
  POST /predict     {"features": [[20 numbers], …]} → {"predictions": […], "probabilities": [[p0, p1], …]}

Settings are variables: POD_IP and PORT to listen on, MODEL_PATH where the model is kept. The model is a logistic
regression, made when there is none at MODEL_PATH yet.
"""
import json
import math
import os
import random
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FEATURES = 20
MAX_BODY = 1 << 20
MAX_ROWS = 1000
VERSION = os.environ.get('MODEL_VERSION', '1.0.0')


def load_model(path):
    try:
        with open(path, encoding='utf-8') as file:
            return json.load(file)
    except FileNotFoundError:
        rng = random.Random(42)
        model = {'weights': [rng.gauss(0, 0.1) for _ in range(FEATURES)], 'bias': 0.1}
        os.makedirs(os.path.dirname(path) or '.', exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            json.dump(model, file)
        return model


def predict(model, rows):
    answers = []
    for row in rows:
        z = model['bias'] + sum(w * x for w, x in zip(model['weights'], row))
        answers.append(1 / (1 + math.exp(-max(-60.0, min(60.0, z)))))
    return {'predictions': [int(p >= 0.5) for p in answers],
            'probabilities': [[round(1 - p, 4), round(p, 4)] for p in answers]}


def checked_rows(body):
    """The rows of a request; an error says what is wrong with it."""
    rows = json.loads(body)['features']
    if not isinstance(rows, list) or len(rows) > MAX_ROWS:
        raise ValueError(f'features: expected a list of at most {MAX_ROWS} rows')
    for row in rows:
        if not isinstance(row, list) or len(row) != FEATURES:
            raise ValueError(f'features: every row needs {FEATURES} numbers')
        if not all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in row):
            raise ValueError('features: only numbers')
    return rows


class ModelServer(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    model = None

    def answer(self, code, content):
        body = json.dumps(content).encode()
        self.send_response(code)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(body)))
        self.send_header('X-Served-By', os.environ.get('HOSTNAME', ''))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        loaded = self.model is not None
        if self.path == '/health':
            self.answer(200, {'status': 'healthy', 'model_loaded': loaded, 'version': VERSION})
        elif self.path == '/ready':
            self.answer(200 if loaded else 503, {'status': 'ready' if loaded else 'loading'})
        elif self.path == '/model-info':
            self.answer(200, {'model_type': 'LogisticRegression', 'n_features': FEATURES, 'n_classes': 2,
                              'classes': [0, 1]})
        else:
            self.answer(404, {'error': 'no such page'})

    def do_POST(self):
        if self.path != '/predict':
            return self.answer(404, {'error': 'no such page'})
        try:
            length = int(self.headers.get('Content-Length', ''))
            if not 0 <= length <= MAX_BODY:
                raise ValueError(f'at most {MAX_BODY} bytes')
            rows = checked_rows(self.rfile.read(length))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            self.close_connection = True
            return self.answer(400, {'error': str(error)})
        return self.answer(200, predict(self.model, rows))

    def log_message(self, format, *args):  # one line per prediction; probes are not worth one
        if self.command == 'POST':
            print(format % args, flush=True)


def main():
    address, port = os.environ.get('POD_IP', '127.0.0.1'), int(os.environ.get('PORT', '8000'))
    ModelServer.model = load_model(os.environ.get('MODEL_PATH', 'model.json'))
    server = ThreadingHTTPServer((address, port), ModelServer)
    print(f'serving on {address}:{port}', flush=True)
    server.serve_forever()


if __name__ == '__main__':
    main()

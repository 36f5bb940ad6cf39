"""Lets a library that nobody here wrote validate what the server says of itself: Authlib (RFC 8414).

    metadata.py URL CA-FILE
"""

import json
import ssl
import sys
import urllib.request

from authlib.oauth2.rfc8414 import AuthorizationServerMetadata

url, authority = sys.argv[1:3]
context = ssl.create_default_context(cafile=authority)
with urllib.request.urlopen(url + "/.well-known/oauth-authorization-server", context=context) as answer:
    metadata = json.load(answer)
AuthorizationServerMetadata(metadata).validate()
for change in ({"response_types_supported": []}, {"issuer": "http://auth.example.org"}, {"token_endpoint": None}):
    try:
        AuthorizationServerMetadata(metadata | change).validate()
    except ValueError:
        continue
    raise SystemExit(f"control: {change} is not objected to")
print("the metadata is validated by Authlib")
